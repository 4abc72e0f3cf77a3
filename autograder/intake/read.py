"""An Incoming -> a Submission: bytes of the exercise files, and reasons for all that is not as expected."""

from __future__ import annotations

from autograder.course import ROOT, Limits
from autograder.extract.reading import Cell
from autograder.intake.archive import OTHER_KINDS, in_zip
from autograder.intake.choose import Choice, choose
from autograder.intake.encoding import as_utf8
from autograder.intake.entries import Entry, in_folder
from autograder.intake.inbox import Incoming
from autograder.intake.names import FILES, NOTEBOOK, printable
from autograder.intake.notebook import from_notebook
from autograder.intake.reading import Unreadable, read_regular
from autograder.intake.submission import Submission
from autograder.results import Flag, Problem

KB, MB = 2**10, 2**20


def read(one: Incoming, limits: Limits) -> Submission:
    """Reads one submission. Whatever a student did, it does not raise: what cannot be read is a problem."""
    problems: list[Problem] = [one.problem] if one.problem else []
    flags: list[Flag] = []
    files: dict[str, bytes] = {}
    cells: tuple[Cell, ...] = ()
    if one.kind != "refused":
        try:
            choice = _choice(one, limits)
            _copies_for_stubs(choice, limits)
            problems += choice.problems
            flags += choice.flags
            files, cells = _files(choice, limits, problems, flags)
        except Unreadable as e:
            problems.append(e.problem)
    shown = printable(str(one.path))
    return Submission(one.student, files, tuple(problems), tuple(flags), source=shown, cells=cells)


def _choice(one: Incoming, limits: Limits) -> Choice:
    """What to take from a folder, a zip, or a zip in a folder. Raises Unreadable."""
    name = printable(one.path.name)
    if one.kind == "notebook":
        alone = Entry((NOTEBOOK,), lambda limit: read_regular(one.path, limit, name))
        return Choice({NOTEBOOK: alone})
    if one.kind == "zip":
        return choose(in_zip(read_regular(one.path, _zip_limit(limits), name), name))
    entries = in_folder(one.path)
    choice = choose(entries)
    zips = [e for e in entries if e.name.casefold().endswith(".zip")]
    if choice.taken or any(p.id == "file.several" for p in choice.problems):
        if zips:
            choice.flags.append(Flag(id="zip_ignored", params={"file": zips[0].shown}))
        return choice
    if len(zips) == 1:
        return choose(in_zip(zips[0].read(_zip_limit(limits)), zips[0].shown))
    if zips:
        found = ", ".join(z.shown for z in zips[:6])
        raise Unreadable("file.several", file="a zip", found=found)
    for entry in entries:
        for ending in OTHER_KINDS:
            if entry.name.casefold().endswith(ending):
                raise Unreadable("zip.other_kind", file=entry.shown, ending=ending)
    return choice


def _files(
    choice: Choice, limits: Limits, problems: list[Problem], flags: list[Flag]
) -> tuple[dict[str, bytes], tuple[Cell, ...]]:
    """Reads what was taken, with the cells of a notebook; what cannot be read becomes a problem, left out."""
    files: dict[str, bytes] = {}
    left = limits.submission_kb * KB
    for name in FILES:
        if name not in choice.taken:
            continue
        entry = choice.taken[name]
        try:
            data, encoding = as_utf8(entry.read(min(limits.file_kb * KB, left)), entry.shown)
        except Unreadable as e:
            problems.append(e.problem)
            continue
        left -= len(data)
        files[name] = data
        if encoding:
            flags.append(Flag(id="encoding", params={"file": entry.shown, "encoding": encoding}))
    notebook = choice.taken.get(NOTEBOOK)
    if notebook is None:
        return files, ()
    if files and not all(_untouched(name, data) for name, data in files.items()):
        flags.append(Flag(id="notebook_ignored", params={"file": notebook.shown}))
        return files, ()
    # The student worked in the notebook; .py files beside it are still as they were handed out.
    found = from_notebook(notebook.read(limits.notebook_mb * MB), notebook.shown, limits)
    problems += found.problems
    flags += found.flags
    return dict(found.files), found.cells


def _copies_for_stubs(choice: Choice, limits: Limits) -> None:
    """heads.py as it was handed out beside "heads (1).py": the copy is what the student wrote."""
    for target, others in choice.beside.items():
        if _still_a_stub(target, choice.taken[target], limits):
            worked_on = [e for e in others if not _still_a_stub(target, e, limits)]
            if worked_on:
                choice.instead(target, worked_on)


def _still_a_stub(target: str, entry: Entry, limits: Limits) -> bool:
    try:
        return _untouched(target, entry.read(limits.file_kb * KB))
    except Unreadable:
        return False


def _untouched(name: str, data: bytes) -> bool:
    stub = ROOT / "exercises" / name
    return stub.is_file() and data.split() == stub.read_bytes().split()


def _zip_limit(limits: Limits) -> int:
    return limits.submission_kb * KB + limits.notebook_mb * MB
