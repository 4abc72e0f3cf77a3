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
