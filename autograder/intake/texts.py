"""Entries of a submission -> the texts and notebooks among them that may hold exercises, within limits."""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

from autograder.assignment import Assignment
from autograder.extract.reading import Text, defines, own_files
from autograder.intake.encoding import as_utf8
from autograder.intake.entries import Entry
from autograder.intake.names import Expected, expected, meant
from autograder.intake.reading import Unreadable
from autograder.results import Flag, Problem

KB, MB = 2**10, 2**20
_CODE = (".py", ".pyw", ".py3", ".py.txt")
_MAYBE = (".txt", ".json", ".bak", ".old", ".orig", ".py~")  # looked at, and taken when it is code


@dataclass
class Found:
    """What was read. `left_out`: names of files that were not, because of a limit."""

    texts: list[Text] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    encodings: dict[tuple[str, ...], str] = field(default_factory=dict)  # path -> one that is worth telling
    left_out: list[str] = field(default_factory=list)


def texts_of(entries: Sequence[Entry], assignment: Assignment) -> Found:
    """Reads what may hold exercises; first what has the name of one, so that limits meet the others."""
    found, limits, names = Found(), assignment.limits, expected(assignment)
    left = {False: limits.submission_kb * KB, True: limits.notebook_mb * MB}
    for entry in sorted(entries, key=lambda entry: _order(entry, names)):
        kind = _kind(entry.name, names)
        if kind is None:
            continue
        target = meant(entry.name, names) or ""
        big = (
            kind == "notebook" or entry.name.casefold().endswith(".json") or ".ipynb" in entry.name.casefold()
        )
        most = left[True] if big else min(limits.file_kb * KB, left[False])
        try:
            data = entry.read(most)
            text = _text(entry, target, kind, data, found, assignment)
        except Unreadable as e:
            if target:
                found.problems.append(e.problem)
            elif kind != "maybe":
                found.left_out.append(entry.shown)
            continue
        if text is None:
            continue
        left[text.notebook] -= len(text.data)
        if left[text.notebook] < 0:
            left[text.notebook] += len(text.data)
            found.left_out.append(entry.shown)
            continue
        found.texts.append(text)
    return found


def flags_of(found: Found, used: Iterable[Text]) -> list[Flag]:
    """What is to be told of how the used ones were read."""
    encodings = {t.path: found.encodings[t.path] for t in used if t.path in found.encodings}
    return [
        Flag(id="encoding", params={"file": t.shown, "encoding": encodings[t.path]})
        for t in found.texts
        if t.path in encodings
    ]


def _order(entry: Entry, names: Expected) -> tuple[int, int, tuple[str, ...]]:
    exact = names.index(entry.name) if entry.name in names else len(names)
    return exact + (meant(entry.name, names) is None), len(entry.path), entry.path


def _kind(name: str, names: Expected) -> str | None:
    """ "notebook", "code", "maybe" by its name alone; None for what cannot hold an exercise."""
    low = name.casefold()
    if low.endswith(".ipynb"):
        return "notebook"
    if low.endswith(_CODE):
        return "code"
    return "maybe" if low.endswith(_MAYBE) or "." not in low.strip(".") or meant(name, names) else None


def _text(
    entry: Entry, target: str, kind: str, data: bytes, found: Found, assignment: Assignment
) -> Text | None:
    """What the bytes are, whatever the name says. None for what is neither a notebook nor code. Raises
    Unreadable."""
    if _is_notebook(data) or (kind == "notebook" and not _defines(data, assignment)):
        likely = bool(target) or kind == "notebook"
        meant_for = target if target == assignment.notebook else ""
        return Text(entry.path, entry.shown, data, True, meant_for, likely)
    if kind == "maybe" and not target and not _defines(data, assignment):
        return None
    if _is_the_kits(data, assignment) and target not in assignment.files:
        return None
    try:
        source, encoding = as_utf8(data, entry.shown)
    except Unreadable:
        if kind == "code":
            raise
        return None
    if encoding:
        found.encodings[entry.path] = encoding
    likely = bool(target) or (kind != "maybe" and not _is_test(entry.name))
    return Text(entry.path, entry.shown, source, False, target if target in assignment.files else "", likely)


def _is_notebook(data: bytes) -> bool:
    if data[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        data = data[2:].replace(b"\0", b"")
    begin = data[:2000].lstrip(b"\xef\xbb\xbf \t\r\n")
    return begin.startswith(b"{") and (b'"cells"' in data or b'"worksheets"' in data)


def _defines(data: bytes, assignment: Assignment) -> bool:
    return defines(data.replace(b"\0", b"").decode("utf-8", "replace"), assignment)  # of UTF-16 too


def _is_test(name: str) -> bool:
    low = name.casefold()
    return low.startswith(("test_", "conftest")) or low.endswith(("_test.py", "_tests.py"))


def _is_the_kits(data: bytes, assignment: Assignment) -> bool:
    return _print(data) in _kits_own(assignment)


@cache
def _kits_own(assignment: Assignment) -> frozenset[str]:
    """Files for students that nobody writes exercises in, apart from white space."""
    return frozenset(_print(path.read_bytes()) for path in own_files(assignment))


def _print(data: bytes) -> str:
    return hashlib.sha256(b" ".join(data.split())).hexdigest()
