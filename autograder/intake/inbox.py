"""SUBMISSIONS -> who handed something in, and where it lies. One bad entry never hides another."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from autograder.assignment import Assignment
from autograder.class_folder import ATTEMPTS, TABLES, attempt_name
from autograder.intake.archive import FOREIGN, ending
from autograder.intake.links import Neighbours
from autograder.intake.names import Expected, expected, junk, meant, printable, shortened
from autograder.intake.wrapper import wrapper
from autograder.results import Problem

_GIVE = "Give the folder that holds one folder per student."
_CODE = (".py", ".pyw", ".py3", ".py.txt")
# What lies in a class folder and is nobody's submission.
_NOT_WORK = ("readme", "license", "index.", "conftest.", "__init__.", "test_")
_THE_TEACHERS = {"csv", "tsv", "xls", "xlsx", "ods", "json", "toml", "md", "yml", "yaml", "ini", "cfg", "log"}
_THE_TEACHERS |= {"txt", "sh", "db", "sqlite", "xml", "lock", "bak"}
_LOOSE = ("file.loose", "file.no_code")  # problems of what cannot be assigned or graded
Kind = Literal["folder", "zip", "archive", "notebook", "file", "refused"]


class IntakeError(Exception):
    """SUBMISSIONS cannot be used; the text says what is there, what was expected and what to do."""


@dataclass(frozen=True)
class Incoming:
    """One submission that came in. `student` is its name as tables show it, unique in the class."""

    student: str
    path: Path
    kind: Kind
    problem: Problem | None = None  # why it is refused
    neighbours: Neighbours | None = field(default=None, compare=False, repr=False)
    notebook_first: bool = False  # whether exercises are expected in the notebook rather than in files

    @property
    def why(self) -> str:
        """The problem's id; "" without one."""
        return self.problem.id if self.problem else ""


def incoming(
    folder: Path,
    assignment: Assignment,
    *,
    leave_out: Path | None = None,
    only: Collection[str] = (),
) -> tuple[list[Incoming], list[str]]:
    """(all submissions in a folder by name, names of files there that are none). Raises IntakeError.

    leave_out: where results go, in case that lies in the same folder; only: whom a person named as students.
    """
    found: list[Incoming] = []
    others: list[str] = []
    names = expected(assignment)
    for entry in _listing(folder):
        path = folder / entry.name
        is_folder = entry.is_dir(follow_symlinks=False)
        if junk(entry.name, folder=is_folder) or (leave_out is not None and _same(path, leave_out)):
            continue
        one = _one(entry, path, is_folder, names)
        if one is not None:
            found.append(one)
        elif entry.name not in TABLES:
            others.append(printable(entry.name))
    loose = [one for one in found if one.why == "file.loose"]
    alone = all(one.kind == "file" or meant(one.path.name, names) for one in found)
    if (loose and alone) or all(one.why in _LOOSE for one in found):
        lying = [*others, *(printable(one.path.name) for one in found)]
        raise IntakeError(_nothing(folder, loose, lying, names))
    folders = [one.path for one in found if one.kind == "folder"]
    rest = [one for one in found if one.kind not in ("folder", "refused")]
    if folders and not rest and not set(only) & {one.student for one in found}:
        _refuse_wrapper(folder, folders, assignment)
    neighbours = Neighbours(folder)
    return [replace(one, neighbours=neighbours) for one in _unique(found)], sorted(others)


def kept_attempts(folder: Path) -> list[Incoming]:
    """Earlier attempts that lie beside a class: FOLDER/.attempts/<student>/<number>/. [] where there are none."""
    found = []
    for path in sorted((folder / ATTEMPTS).glob("*/*")):
        if path.is_dir() and not path.is_symlink() and path.name.isdecimal():
            name = attempt_name(printable(path.parent.name), path.name)
            found.append(Incoming(name, path, "folder", neighbours=Neighbours(path.parent)))
    return found


def _refuse_wrapper(folder: Path, folders: Sequence[Path], assignment: Assignment) -> None:
    """Raises IntakeError when the folders of a class hold students' folders instead of work."""
    wrapped = wrapper(folders, assignment)
    if wrapped is None:
        return
    names = [printable(shortened(path.name)) for path in folders]
    inside = ", ".join(printable(shortened(name)) for name in wrapped.inside[:6])
    inside += " …" if len(wrapped.inside) > 6 else ""
    give = " or ".join(str(place) for place in wrapped.folders[:6])
    those = ", ".join(names[:6]) + (" …" if len(names) > 6 else "")
    raise IntakeError(
        f"{folder}: holds {those}, and in there lie submissions of several people ({inside}). "
        f"Give the folder that holds one folder per student: {give}. "
        f"If all of it is one student's work, grade it with --only {names[0]!r}."
    )


def _listing(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda e: (e.name.casefold(), e.name))
    except FileNotFoundError:
        raise IntakeError(f"{folder}: no such folder. {_GIVE}") from None
    except NotADirectoryError:
        advice = _GIVE
        if folder.suffix.casefold() == ".zip":
            advice = "Unpack it first, and give the folder that then holds one folder or zip per student."
        raise IntakeError(f"{folder}: this is a file. {advice}") from None
    except OSError as e:
        raise IntakeError(f"{folder}: cannot be read ({e.strerror}). Check its permissions.") from None


def _one(entry: os.DirEntry[str], path: Path, is_folder: bool, names: Expected) -> Incoming | None:
    """The submission that an entry is, or None for a file that is none."""
    name = printable(entry.name)
    if is_folder:
        return Incoming(name, path, "folder")
    low = entry.name.casefold()
    if entry.is_symlink():
        return Incoming(name, path, "refused", Problem(id="file.link", params={"file": name}))
    try:
        regular = stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode)
    except OSError:  # gone since it was listed
        return None
    if not regular:
        return Incoming(name, path, "refused", Problem(id="file.special", params={"file": name}))
    if low.endswith(".ipynb"):
        return Incoming(name[: -len(".ipynb")] or name, path, "notebook")
    if kind := ending(name):
        student = name[: -len(kind)] or name
        if kind in FOREIGN:
            return Incoming(student, path, "refused", _problem("zip.other_kind", file=name, ending=kind))
        return Incoming(student, path, "zip" if kind == ".zip" else "archive")
    if meant(entry.name, names):
        return Incoming(name, path, "refused", _problem("file.loose", file=name))
    for code in _CODE:
        if low.endswith(code) and not low.startswith(_NOT_WORK):
            return Incoming(name[: -len(code)] or name, path, "file")
    stem, dot, last = name.rpartition(".")
    if not stem or last.casefold() in _THE_TEACHERS or low.startswith(_NOT_WORK):
        return None
    return Incoming(stem, path, "refused", _problem("file.no_code", file=name))


def _problem(id: str, **params: str) -> Problem:
    return Problem(id=id, params=dict(params))


def _unique(found: list[Incoming]) -> list[Incoming]:
    """A folder and a zip of one name are two rows: the later one gets its whole file name, then a number."""
    count = Counter(one.student for one in found)
    taken: set[str] = set()
    result = []
    for one in sorted(found, key=lambda one: one.kind != "folder"):
        if count[one.student] > 1 and one.student in taken:
            one = replace(one, student=_free(printable(one.path.name), taken))
        taken.add(one.student)
        result.append(one)
    return sorted(result, key=lambda one: (one.student.casefold(), one.student))


def _free(name: str, taken: set[str]) -> str:
    candidates = (name if i == 1 else f"{name} [{i}]" for i in range(1, len(taken) + 2))
    return next(c for c in candidates if c not in taken)


def _nothing(folder: Path, whose: Sequence[Incoming], others: Sequence[str], names: Expected) -> str:
    if whose:
        return (
            f"{folder}: holds {whose[0].path.name} itself, so it looks like one student's submission. "
            "Give the folder above it, with one folder per student "
            f"(and --only {folder.resolve().name!r} to grade just this one)."
        )
    seen = f"only {', '.join(others[:6])}{' …' if len(others) > 6 else ''}" if others else "nothing"
    expected = f"one folder (or one zip) per student, with any of {', '.join(names)} in it"
    return f"{folder}: holds {seen}. Expected {expected}."


def _same(a: Path, b: Path) -> bool:
    try:
        return a.samefile(b)
    except OSError:
        return False
