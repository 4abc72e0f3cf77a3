"""A square-ruled grid with token labels: what leak map and attention pattern are drawn on."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.feedback.pictures.svg import Canvas
from autograder.feedback.safe import visible
from autograder.feedback.texts import Texts

CELL = 36  # px
TOP = 44  # px for the titles and the column labels
CHARACTER = 7.2  # px, width of a label's character at most


def about_tokens(tokens: Sequence[str], say: Texts, head: int | None = None) -> str:
    """On which sentence a picture is made, and of which head it is."""
    text = " ".join(tokens)
    if head is None:
        return say("picture.tokens", text=text)
    return say("picture.tokens.head", text=text, head=head)


class Grid:
    """Rows and columns of cells; rows carry position and token, columns the position.

    `first_row`: rows before it are left out (queries that were decoded earlier). `right`: px kept free there.
    """

    def __init__(
        self,
        tokens: Sequence[str],
        columns: int,
        *,
        row_title: str,
        column_title: str,
        right: int = 0,
        first_row: int = 0,
    ) -> None:
        labels = [f"{i} {visible(token, limit=10)}".strip() for i, token in enumerate(tokens)][first_row:]
        self.left = max(len(row_title), *(len(label) for label in labels)) * CHARACTER + 8
        self.head = TOP - 12  # px, height of the column labels
        across = max(columns * CELL + right, len(column_title) * CHARACTER)
        self.canvas = Canvas(self.left + across + 2, TOP + len(labels) * CELL + 2)
        self.canvas.text(0, self.head, row_title, "muted", "start")
        self.canvas.text(self.left, 8, column_title, "muted", "start")
        for j in range(columns):
            self.canvas.text(self.left + (j + 0.5) * CELL, self.head, str(j), "label")
        for i, label in enumerate(labels):
            self.canvas.text(0, TOP + (i + 0.5) * CELL, label, "label", "start")

    def corner(self, i: int, j: int) -> tuple[float, float]:
        """Upper left corner of a cell."""
        return self.left + j * CELL, TOP + i * CELL

    def middle(self, i: int, j: int) -> tuple[float, float]:
        """Centre of a cell."""
        return self.left + (j + 0.5) * CELL, TOP + (i + 0.5) * CELL
