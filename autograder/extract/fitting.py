"""Which lines of some functions fit a pattern.

A pattern may take long over a line that is made for it, so this is done in the limited process only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

LONGEST = 300  # letters of a line that are looked at
MOST = 100  # lines for one pattern


def fitting(
    text: str, symbols: Sequence[str], patterns: Mapping[str, str]
) -> dict[str, list[tuple[int, str]]]:
    """Name of a pattern -> (number, text) of the lines that it fits, in these functions and classes."""
    own = list(_own_lines(text, symbols))
    return {
        name: [(number, line) for number, line in own if re.search(pattern, line)][:MOST]
        for name, pattern in patterns.items()
    }


def _own_lines(text: str, symbols: Sequence[str]) -> Iterator[tuple[int, str]]:
    """(number, text without comment) of the lines of these functions and classes, docstrings and __init__
    left out. Read line by line: the text need not be Python."""
    inside, given, quotes = False, False, ""
    for number, whole in enumerate(text.split("\n"), 1):
        line = whole[:LONGEST]
        if not quotes and line.strip() and not line[0].isspace() and not line.startswith((")", "]", "#")):
            start = re.match(r"(?:async\s+)?(?:def|class)\s+(\w+)", line)
            inside, given = bool(start and start[1] in symbols), False
        method = re.match(r"\s+def\s+(\w+)", line)
        if method and not quotes:
            given = method[1] == "__init__"
        quoted = bool(quotes)
        for mark in re.findall(r'"""|\'\'\'', line):
            quotes = "" if quotes == mark else quotes or mark
            quoted = True
        if inside and not given and not quoted:
            yield number, re.sub(r"(^|\s)#.*$", "", line)
