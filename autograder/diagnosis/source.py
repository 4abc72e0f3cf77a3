"""The student's own line that matters, where it can be told for certain: by an exception's place, or because
exactly one line of the exercise fits the mistake's pattern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from autograder.assignment import Assignment
from autograder.diagnosis.entries import catalogue
from autograder.extract.reading import fitting_lines
from autograder.lines import line_of
from autograder.sandbox.errors import Place

Line = dict[str, JsonValue]
LONGEST = 300  # letters of a line that are shown
WIDEST = 110  # of each line of the function around it
AROUND = 14  # lines before and after it, of a long function


def of_place(place: Place | None, files: Mapping[str, bytes]) -> Line | None:
    """Where an exception came from."""
    if place is None or not place.file:
        return None
    text = place.text or (line_of(files.get(place.file, b""), place.line) or "")[:LONGEST]
    return {"file": place.file, "line": place.line, "text": text}


def of_mistakes(
    mistakes: Sequence[str], assignment: Assignment, exercise: str, files: Mapping[str, bytes]
) -> tuple[Line | None, tuple[str, ...]]:
    """The one line that fits, and the mistakes with those whose pattern fits in front."""
    file, symbols = assignment[exercise].file, assignment[exercise].symbols
    known = catalogue(assignment)
    patterns = {m: pattern for m in mistakes if (pattern := known[m].line_pattern)}
    found = fitting_lines(files[file], symbols, patterns) if patterns and file in files else {}
    fitting = [m for m in mistakes if found.get(m)]
    ordered = (*fitting, *(m for m in mistakes if m not in fitting))
    lines = {line for m in fitting for line in found[m]}
    if len(lines) != 1:
        return None, ordered
    number, text = lines.pop()
    return {"file": file, "line": number, "text": text.strip()[:LONGEST]}, ordered


def function_around(line: Line, files: Mapping[str, bytes]) -> Line | None:
    """{"file", "start", "lines"}: the function in which a line is, or what is near it; None where it cannot be
    told. By the indentation alone: nothing of a student's is parsed here."""
    file, number = str(line["file"]), line["line"]
    lines = [text.decode("utf-8", "replace").expandtabs(4) for text in files.get(file, b"").splitlines()]
    if not (isinstance(number, int) and 0 < number <= len(lines)):
        return None
    first = last = at = number - 1
    depth = _depth(lines[at])
    if not depth and not _opens(lines[at]):
        return None  # in no function
    while not (_opens(lines[first]) and (first == at or _depth(lines[first]) < depth)):
        if first in (0, at - AROUND):
            break
        first -= 1
    outer = _depth(lines[first]) if _opens(lines[first]) else 0
    while last + 1 < min(len(lines), at + AROUND):
        if lines[last + 1].strip() and _depth(lines[last + 1]) <= outer:
            break
        last += 1
    while last > at and not lines[last].strip():
        last -= 1
    return {
        "file": file,
        "start": first + 1,
        "lines": [text[:WIDEST].rstrip() for text in lines[first : last + 1]],
    }


def _opens(text: str) -> bool:
    return text.lstrip().startswith(("def ", "async def "))


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip())
