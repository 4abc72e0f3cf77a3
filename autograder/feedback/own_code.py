"""The student's own function, as it was graded, with the line marked where the mistake is known to be."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from autograder.feedback.safe import visible
from autograder.feedback.shown import Line


@dataclass(frozen=True)
class CodeLine:
    """One line, with its number in the file or, in a notebook, in its cell."""

    number: int
    text: str
    marked: bool

    @property
    def plain(self) -> str:
        """As a line of text."""
        return f"{'-->' if self.marked else '   '} {self.number:3}  {self.text}"


def code_around(line: Line, data: JsonValue) -> tuple[CodeLine, ...]:
    """data: {"file", "start", "lines"}; empty where it is none, or does not hold that line."""
    if not isinstance(data, dict) or data.get("file") != line.file:
        return ()
    start, lines = data.get("start"), data.get("lines")
    if not (isinstance(start, int) and isinstance(lines, list) and 0 <= line.line - start < len(lines)):
        return ()
    moved = line.cell_line - line.line if line.cell else 0
    return tuple(
        CodeLine(start + i + moved, visible(str(text), limit=200), start + i == line.line)
        for i, text in enumerate(lines)
    )
