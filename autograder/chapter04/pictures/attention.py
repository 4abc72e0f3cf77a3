"""An attention pattern: which query looks at which key, how much, and the triangle it must not look at."""

from __future__ import annotations

import math
from typing import Literal

from markupsafe import Markup
from pydantic import BaseModel, Field, JsonValue

from autograder.chapter04.pictures.tokens import about
from autograder.feedback.pictures.grid import CELL, Grid
from autograder.feedback.pictures.numbers import Matrix, short, square
from autograder.feedback.pictures.svg import Figure, Pictures
from autograder.feedback.texts import Texts

DIFFERENT = 1e-3  # from the expected weight: less cannot be seen
NOTHING = 1e-5  # a weight that is rounding: shown as 0
SUM = 58  # px for the column of row sums


class Attention(BaseModel):
    """Weights (n_query, n_key) of one head; with fewer queries than tokens, they are the last ones."""

    kind: Literal["attention"]
    tokens: list[str] = Field(max_length=16)
    expected: Matrix | None = None
    got: Matrix
    causal: bool = True
    head: int | None = None  # which one; None where there are no heads


def draw(given: JsonValue, say: Texts) -> Pictures | None:
    """Expected and received pattern. None when the numbers do not fit the tokens. Raises ValidationError."""
    data = Attention.model_validate(given)
    n, rows = len(data.tokens), len(data.got)
    for values in (data.got, data.expected):
        if values is not None and (not square(values, rows, n) or not 0 < rows <= n):
            return None
    figures = []
    if data.expected is not None:
        figures.append(Figure(_one(data, data.expected, say), say("picture.expected")))
    figures.append(Figure(_one(data, data.got, say), say("picture.got"), wrong=True))
    legend = say("picture.attention.legend")
    if any(_wrong(data, data.got, i, j) for i in range(rows) for j in range(n)):
        legend += " " + say("picture.attention.legend.framed")
    return Pictures(tuple(figures), _words(data, data.got, say), legend, about(data.tokens, say, data.head))


def _future(data: Attention, i: int, j: int) -> bool:
    return data.causal and j > i + len(data.tokens) - len(data.got)


def _wrong(data: Attention, values: Matrix, i: int, j: int) -> bool:
    """Whether the weight is no number, looks at the future, or is not the expected one."""
    x = values[i][j]
    if not math.isfinite(x) or (_future(data, i, j) and abs(x) > NOTHING):
        return True
    return data.expected is not None and not abs(x - data.expected[i][j]) <= DIFFERENT


def _words(data: Attention, values: Matrix, say: Texts) -> str:
    shift = len(data.tokens) - len(values)
    nan = [str(i + shift) for i, row in enumerate(values) if any(math.isnan(x) for x in row)]
    seen = [
        str(i + shift)
        for i, row in enumerate(values)
        if any(_future(data, i, j) and abs(x) > NOTHING for j, x in enumerate(row))
    ]
    sums = [
        str(i + shift) for i, row in enumerate(values) if not math.isnan(sum(row)) and not _is_one(sum(row))
    ]
    differ = [
        str(i + shift)
        for i, row in enumerate(values)
        if any(_wrong(data, values, i, j) and not _future(data, i, j) for j in range(len(row)))
    ]
    said = []
    if nan:
        said.append(say("picture.attention.words.nan", rows=say.listed(nan), n=len(nan)))
    if seen:
        said.append(say("picture.attention.words.future", rows=say.listed(seen)))
    if sums:
        said.append(say("picture.attention.words.sums", rows=say.listed(sums)))
    if not said:
        said.append(say("picture.attention.words.none"))
        if differ:
            rows = say.listed(differ)
            said.append(say("picture.attention.words.differ", rows=rows, n=len(differ)))
    return " ".join(said)


def _is_one(total: float) -> bool:
    return abs(total - 1) < 1e-2


def _one(data: Attention, values: Matrix, say: Texts) -> Markup:
    shift = len(data.tokens) - len(values)
    grid = Grid(
        data.tokens,
        len(data.tokens),
        row_title=say("picture.attention.rows"),
        column_title=say("picture.attention.columns"),
        right=SUM,
        first_row=shift,
    )
    right = grid.left + len(data.tokens) * CELL + SUM
    grid.canvas.text(right, grid.head, say("picture.attention.sum"), "muted", "end")
    for i, row in enumerate(values):
        for j, x in enumerate(row):
            px, py = grid.corner(i, j)
            cx, cy = grid.middle(i, j)
            future = _future(data, i, j)
            grid.canvas.rect(px, py, CELL, CELL, "cell past" if future else "cell")
            if _wrong(data, values, i, j):
                grid.canvas.rect(px + 2, py + 2, CELL - 4, CELL - 4, "bad-box")
                grid.canvas.text(cx, cy, short(x), "bad-text")
            elif future:
                grid.canvas.circle(cx, cy, 1.5, "dot")
            else:
                share = min(max(x, 0.0), 1.0)
                grid.canvas.rect(px + 2, py + 2, CELL - 4, CELL - 4, "good-fill", 0.06 + 0.5 * share)
                grid.canvas.text(cx, cy, short(x), "label")
        total = sum(row)
        grid.canvas.text(
            right, grid.middle(i, 0)[1], short(total), "label" if _is_one(total) else "bad-text", "end"
        )
    return grid.canvas.done(_words(data, values, say))
