"""The student's own line that matters, where it can be told for certain: by an exception's place, or
because exactly
one line of the exercise fits the mistake's pattern."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from autograder.mistakes.entries import catalogue
from autograder.sandbox.errors import Place

Line = dict[str, JsonValue]


def of_place(place: Place | None, files: Mapping[str, bytes]) -> Line | None:
    """Where an exception came from."""
    if place is None or not place.file:
        return None
    text = place.text
    if not text:
        lines = _lines(files.get(place.file, b""))
        text = lines[place.line - 1].strip() if 0 < place.line <= len(lines) else ""
    return {"file": place.file, "line": place.line, "text": text}


def of_mistakes(
    mistakes: Sequence[str], file: str, symbols: Sequence[str], files: Mapping[str, bytes]
) -> tuple[Line | None, tuple[str, ...]]:
    """The one line that fits, and the mistakes with those whose pattern fits in front."""
    source = files.get(file, b"")
    own = _own_lines(source, symbols)
    found: dict[str, list[int]] = {}
    for mistake in mistakes:
        pattern = catalogue()[mistake].line_pattern
        if pattern:
            found[mistake] = [n for n, text in own if re.search(pattern, text)]
    fitting = [m for m in mistakes if found.get(m)]
    ordered = (*fitting, *(m for m in mistakes if m not in fitting))
    lines = {n for m in fitting for n in found[m]}
    if len(lines) != 1:
        return None, ordered
    number = lines.pop()
    return {"file": file, "line": number, "text": dict(own)[number].strip()[:300]}, ordered


def _lines(source: bytes) -> list[str]:
    return source.decode("utf-8", "replace").splitlines()


LONGEST = 300  # letters of a line that are looked at
LARGEST = 256 * 1024  # bytes of a file


def _own_lines(source: bytes, symbols: Sequence[str]) -> list[tuple[int, str]]:
    """(number, text without comment) of the lines of these functions and classes, docstrings and __init__
    left out.

    Read line by line and not parsed: the text is a stranger's, and a parser can be brought down by it.
    """
    found: list[tuple[int, str]] = []
    inside, given, quotes = False, False, ""
    for number, line in enumerate(_lines(source[:LARGEST]), 1):
        text = line[:LONGEST]
        if not quotes and text.strip() and not text[0].isspace() and not text.startswith((")", "]", "#")):
            start = re.match(r"(?:async\s+)?(?:def|class)\s+(\w+)", text)
            inside, given = bool(start and start[1] in symbols), False
        method = re.match(r"\s+def\s+(\w+)", text)
        if method and not quotes:
            given = method[1] == "__init__"
        quoted = bool(quotes)
        for mark in re.findall(r'"""|\'\'\'', text):
            quotes = "" if quotes == mark else quotes or mark
            quoted = True
        if inside and not given and not quoted:
            found.append((number, re.sub(r"(^|\s)#.*$", "", text)))
    return found
