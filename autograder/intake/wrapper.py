"""Whether what was given as a class lies one level too high: students' folders in one folder or in sections.

Only names and beginnings of files are looked at, of a few hundred entries at most.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.assignment import Assignment
from autograder.intake.archive import ending
from autograder.intake.names import expected, junk, meant, without_copy
from autograder.intake.reading import Unreadable, read_regular

_LEVELS = 5  # folders that each hold nothing but one folder
_NAMES = 2000  # of one folder
_LOOKED_AT = 300  # entries of what may be a submission
_FILE = 256 * 2**10
# Folders in which one person keeps versions or parts of the same work, and those that the kit itself has.
_PARTS = {"v", "version", "versao", "old", "new", "final", "draft", "backup", "bak", "copy", "copia", "part"}
_PARTS |= {"parte", "attempt", "try", "work", "mywork", "my", "src", "code", "hw", "homework", "assignment"}
_PARTS |= {"exercise", "exercises", "exercicio", "exercicios", "tarefa", "lista", "submission", "entrega"}
_PARTS |= {"solution", "solutions", "notebook", "notebooks", "lab", "kit", "test", "tests", "data"}
_SECTIONS = {"section", "sec", "secao", "seção", "turma", "class", "classe", "tutorial", "sala"}
# A stub says so, whatever its language and form.
_UNWRITTEN = b"raise NotImplementedError"


@dataclass(frozen=True)
class Wrapper:
    """Folders that hold submissions instead of being one. `inside`: names of some of those."""

    folders: tuple[Path, ...]
    inside: tuple[str, ...]


def wrapper(folders: Sequence[Path], assignment: Assignment) -> Wrapper | None:
    """What to give instead, when no folder of a class is a student's but all hold students' folders."""
    found: list[tuple[Path, dict[str, set[str]]]] = []
    sections = all(_base(folder.name) in _SECTIONS for folder in folders)
    for folder in folders:
        place, inside = _people(folder, assignment, below=not sections)
        if not (_several(inside) or (sections and inside)):
            return None
        found.append((place, inside))
    names = sorted(name for _, inside in found for name in inside)
    return Wrapper(tuple(place for place, _ in found), tuple(names)) if len(names) > 1 else None


def _several(inside: dict[str, set[str]]) -> bool:
    """Whether two of them answer the same exercise; one person's parts do not."""
    count = Counter(target for targets in inside.values() for target in targets)
    return any(n > 1 for n in count.values())


def _people(folder: Path, assignment: Assignment, *, below: bool) -> tuple[Path, dict[str, set[str]]]:
    """(the folder, {name of a submission in it: what it answers}).

    below: whether a folder that holds but one folder stands for that one.
    """
    for _ in range(_LEVELS):
        items = _listing(folder)
        if any(meant(item.name, expected(assignment)) for item in items if not _is_folder(item)):
            return folder, {}  # it is a submission itself
        folders = [item for item in items if _is_folder(item)]
        others = [item for item in items if not _is_folder(item) and _kind(item.name)]
        if below and len(folders) == 1 and not others:
            folder = Path(folders[0].path)
            continue
        inside: dict[str, set[str]] = {}
        for item in (*folders, *others):
            is_folder = _is_folder(item)
            name = _without_copies(item.name if is_folder else item.name.partition(".")[0])
            if _base(name) in _PARTS:
                continue
            if answers := _answers(Path(item.path), assignment) if is_folder else {_kind(item.name)}:
                inside.setdefault(name, set()).update(answers)
        return folder, inside
    return folder, {}


def _base(name: str) -> str:
    """A name without its numbers ("Section-B2" -> "section"): what several of a kind have in common."""
    words = "".join(c if c.isalpha() else " " for c in name.casefold()).split()
    return "".join(words[:1] if len(words) > 1 and len(words[-1]) == 1 else words)


def _without_copies(name: str) -> str:
    """What several downloads of one file have in common ("hw (1)" -> "hw")."""
    while (shorter := without_copy(name)) != name:
        name = shorter.rstrip(" _-")
    return name


def _kind(name: str) -> str:
    """ "notebook" or "archive", by a file's name; "" for any other."""
    return "notebook" if name.casefold().endswith(".ipynb") else "archive" if ending(name) else ""


def _answers(folder: Path, assignment: Assignment) -> set[str]:
    """What a folder has work on: names of exercise files, "notebook", "archive"."""
    waiting, found, seen = [folder], set(), 0
    names = expected(assignment)
    while waiting and seen < _LOOKED_AT:
        for item in _listing(waiting.pop(0)):
            seen += 1
            if _is_folder(item):
                waiting.append(Path(item.path))
            elif kind := _kind(item.name):
                found.add(kind)
            elif (target := meant(item.name, names)) and _written(Path(item.path), target, assignment):
                found.add(target)
    return found


def _written(path: Path, target: str, assignment: Assignment) -> bool:
    if target not in assignment.files:
        return target == assignment.notebook
    try:
        data = read_regular(path, _FILE, path.name)
    except Unreadable:
        return False
    return bool(data.strip()) and data.count(_UNWRITTEN) < assignment.stubs[target].encode().count(_UNWRITTEN)


def _listing(folder: Path) -> list[os.DirEntry[str]]:
    found: list[os.DirEntry[str]] = []
    try:
        with os.scandir(folder) as listing:
            for item in listing:
                if not junk(item.name, folder=_is_folder(item)):
                    found.append(item)
                if len(found) >= _NAMES:
                    break
    except OSError:
        return []
    return sorted(found, key=lambda item: item.name)


def _is_folder(item: os.DirEntry[str]) -> bool:
    try:
        return item.is_dir(follow_symlinks=False)
    except OSError:
        return False
