"""Comments in the files made from a notebook that say which cell the lines below them come from.

They are part of the file, so two notebooks with the same code in other places are two submissions. Whoever
writes such a comment into a file of their own only changes how their own lines are called.
"""

from __future__ import annotations

import re

HEADER = "# put together from the cells of a notebook"
NOWHERE = "# not in the notebook"
_MARK = re.compile(r"# cell (\d+) of the notebook, line (-?\d+)(, is not Python)?$")


def mark(cell: int, line: int, *, broken: bool = False) -> str:
    """What stands above a statement. cell: from 0, as in `Statement`; line: its first one, from 1."""
    return f"# cell {cell + 1} of the notebook, line {line}{', is not Python' * broken}"


def place(text: str, line: int) -> tuple[int, int, bool] | None:
    """(cell, from 1; line in it; whether the text there is ours) of a line of a file. None: no such place."""
    lines = text.split("\n")
    if lines[0] != HEADER or not 0 < line <= len(lines) or _ours(lines[line - 1]):
        return None
    for above in range(line - 1, 0, -1):  # line numbers count from 1, `lines` from 0
        said = lines[above - 1]
        if said == NOWHERE:
            return None
        if found := _MARK.match(said):
            ours = found[3] is not None
            first = int(found[2])
            return int(found[1]), first if ours else first + line - above - 1, ours
    return None


def _ours(line: str) -> bool:
    return line == NOWHERE or _MARK.match(line) is not None
