"""Comments in the files that are put together here that say which cell, or which file, the lines below them
come from.

They are part of the file, so two notebooks with the same code in other places are two submissions. Whoever
writes such a comment into a file of their own only changes how their own lines are called.
"""

from __future__ import annotations

import re
from typing import NamedTuple

HEADER = "# put together from the cells of a notebook"
HEADER_OF_FILE = "# put together from the file "
NOWHERE = "# not in the notebook"
_MARK = re.compile(r"# (?:cell (\d+) of the notebook, )?line (-?\d+)(, is not Python)?$")


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
    lines = text.split("\n")
    if not put_together(text) or not 0 < line <= len(lines) or _ours(lines[line - 1]):
        return None
    file = lines[0].removeprefix(HEADER_OF_FILE) if lines[0].startswith(HEADER_OF_FILE) else ""
    for above in range(line - 1, 0, -1):  # line numbers count from 1, `lines` from 0
        said = lines[above - 1]
        if said == NOWHERE:
            return None
        found = _MARK.match(said)
        if found and bool(found[1]) != bool(file):
            ours = found[3] is not None
            first = int(found[2])
            return Place(int(found[1] or 0), first if ours else first + line - above - 1, ours, file)
    return None


def _ours(line: str) -> bool:
    return line == NOWHERE or _MARK.match(line) is not None
