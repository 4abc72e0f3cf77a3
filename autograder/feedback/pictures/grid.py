"""A square-ruled grid whose rows and columns are numbered: for maps of what belongs to what."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.feedback.pictures.svg import Canvas
from autograder.feedback.safe import visible

CELL = 36  # px
TOP = 44  # px for the titles and the column labels
CHARACTER = 7.2  # px, width of a label's character at most


class Grid:
    """Rows and columns of cells; rows carry their number and label, columns their number.

    `first_row`: rows before it are left out. `right`: px kept free there.
    """

    def __init__(
        self,
        labels: Sequence[str],
        columns: int,
        *,
        row_title: str,
        column_title: str,
        right: int = 0,
        first_row: int = 0,
    ) -> None:
        rows = [f"{i} {visible(label, limit=10)}".strip() for i, label in enumerate(labels)][first_row:]
        self.left = max(len(row_title), *(len(row) for row in rows)) * CHARACTER + 8
        self.head = TOP - 12  # px, height of the column labels
        across = max(columns * CELL + right, len(column_title) * CHARACTER)
        self.canvas = Canvas(self.left + across + 2, TOP + len(rows) * CELL + 2)
        self.canvas.text(0, self.head, row_title, "muted", "start")
        self.canvas.text(self.left, 8, column_title, "muted", "start")
        for j in range(columns):
            self.canvas.text(self.left + (j + 0.5) * CELL, self.head, str(j), "label")
        for i, row in enumerate(rows):
            self.canvas.text(0, TOP + (i + 0.5) * CELL, row, "label", "start")

    def corner(self, i: int, j: int) -> tuple[float, float]:
        """Upper left corner of a cell."""
        return self.left + j * CELL, TOP + i * CELL

    def middle(self, i: int, j: int) -> tuple[float, float]:
        """Centre of a cell."""
        return self.left + (j + 0.5) * CELL, TOP + (i + 0.5) * CELL
