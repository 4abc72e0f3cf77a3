"""Comments in the files that are put together here that say which cell, or which file, the lines below them
come from.

They are part of the file, so two notebooks with the same code in other places are two submissions. Whoever
writes such a comment into a file of their own only changes how their own lines are called.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

HEADER = "# put together from the cells of a notebook"
HEADER_OF_FILE = "# put together from the file "
NOWHERE = "# not in the notebook"
_MARK = re.compile(r"# (?:cell (\d{1,6}) of the notebook, )?line (-?\d{1,6})(, is not Python)?$")

LONGEST = 300  # letters of a file's name: whoever writes such a first line may write a long one


class Place(NamedTuple):
    """cell: from 1 (0: of a file that has none); line in it; ours: whether the text there is ours; file: its
    name as the student knows it, "" for a notebook."""

    cell: int
    line: int
    ours: bool
    file: str = ""


def header(file: str = "") -> str:
    """The first line. file: whose lines they are; "" for a notebook's."""
    return HEADER_OF_FILE + file if file else HEADER


def mark(cell: int | None, line: int, *, broken: bool = False) -> str:
    """What stands above a statement. cell: from 0, as in `Statement`, None in a file; line: its first one,
    from 1."""
    where = "" if cell is None else f"cell {cell + 1} of the notebook, "
    return f"# {where}line {line}{', is not Python' * broken}"


def put_together(text: str) -> bool:
    """Whether a file was put together here."""
    return text.startswith((HEADER + "\n", HEADER_OF_FILE))


def place(text: str, line: int) -> Place | None:
    """The place of a line of a file that was put together. None: no such place."""
    last, file, marks = _marks(text)
    at = bisect_left(marks, line, key=lambda mark: mark[0])
    if not 0 < line <= last or at == 0 or (at < len(marks) and marks[at][0] == line):
        return None
    above, cell, first, ours = marks[at - 1]
    if ours is None:
        return None
    return Place(cell, first if ours else first + line - above - 1, ours, file)


_Mark = tuple[int, int, int, bool | None]  # its line in the file, cell, line there, ours; None: NOWHERE


@lru_cache(maxsize=8)
def _marks(text: str) -> tuple[int, str, list[_Mark]]:
    """(number of lines, the file they come from, the comments), read once for all places of a file."""
    if not put_together(text):
        return 0, "", []
    lines = text.split("\n")
    file = lines[0].removeprefix(HEADER_OF_FILE)[:LONGEST] if lines[0].startswith(HEADER_OF_FILE) else ""
    marks: list[_Mark] = []
    for number, line in enumerate(lines, 1):
        if line == NOWHERE:
            marks.append((number, 0, 0, None))
        elif (found := _MARK.match(line)) and bool(found[1]) != bool(file):
            marks.append((number, int(found[1] or 0), int(found[2]), found[3] is not None))
    return len(lines), file, marks
