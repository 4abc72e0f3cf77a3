"""An attention pattern: which query looks at which key, how much, and the triangle it must not look at."""

from __future__ import annotations

import math
from typing import Literal

from markupsafe import Markup
from pydantic import BaseModel, Field

from autograder.course import Language
from autograder.feedback.pictures.grid import CELL, Grid
from autograder.feedback.pictures.numbers import Matrix, short, square
from autograder.feedback.pictures.svg import Figure, Pictures
from autograder.feedback.rich import enumeration
from autograder.feedback.texts import t

NOTHING = 1e-5  # a weight that is rounding: shown as 0
SUM = 58  # px for the column of row sums


class Attention(BaseModel):
    """Weights (n_query, n_key); with fewer queries than tokens, they are the last ones."""

    kind: Literal["attention"]
    tokens: list[str] = Field(max_length=16)
    expected: Matrix | None = None
    got: Matrix
    causal: bool = True


def draw(data: Attention, lang: Language) -> Pictures | None:
    """Expected and received pattern. None when the numbers do not fit the tokens."""
    n, rows = len(data.tokens), len(data.got)
    for values in (data.got, data.expected):
        if values is not None and (not square(values, rows, n) or not 0 < rows <= n):
            return None
    figures = []
    if data.expected is not None:
        figures.append(Figure(_one(data, data.expected, lang), t("picture.expected", lang)))
    figures.append(Figure(_one(data, data.got, lang), t("picture.got", lang), wrong=True))
    return Pictures(tuple(figures), _words(data, data.got, lang), t("picture.attention.legend", lang))


def _future(data: Attention, i: int, j: int) -> bool:
    return data.causal and j > i + len(data.tokens) - len(data.got)


def _words(data: Attention, values: Matrix, lang: Language) -> str:
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
    said = []
    if nan:
        said.append(t("picture.attention.words.nan", lang, rows=enumeration(nan, lang)))
    if seen:
        said.append(t("picture.attention.words.future", lang, rows=enumeration(seen, lang)))
    if sums:
        said.append(t("picture.attention.words.sums", lang, rows=enumeration(sums, lang)))
    return " ".join(said) or t("picture.attention.words.none", lang)


def _is_one(total: float) -> bool:
    return abs(total - 1) < 1e-2


def _one(data: Attention, values: Matrix, lang: Language) -> Markup:
    shift = len(data.tokens) - len(values)
    grid = Grid(
        data.tokens,
        len(data.tokens),
        row_title=t("picture.attention.rows", lang),
        column_title=t("picture.attention.columns", lang),
        right=SUM,
        first_row=shift,
    )
    right = grid.left + len(data.tokens) * CELL + SUM
    grid.canvas.text(right, grid.head, t("picture.attention.sum", lang), "muted", "end")
    for i, row in enumerate(values):
        for j, x in enumerate(row):
            px, py = grid.corner(i, j)
            cx, cy = grid.middle(i, j)
            future = _future(data, i, j)
            wrong = math.isnan(x) or math.isinf(x) or (future and abs(x) > NOTHING)
            grid.canvas.rect(px, py, CELL, CELL, "cell past" if future else "cell")
            if wrong:
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
    return grid.canvas.done(_words(data, values, lang))
