"""Which positions move when one token is changed: changed position × moved position.

With a causal mask a changed token moves itself and what comes after it, never what came before.
"""

from __future__ import annotations

import math
from typing import Literal

from markupsafe import Markup
from pydantic import BaseModel, Field, JsonValue

from autograder.chapter04.pictures.tokens import about
from autograder.feedback.pictures.grid import CELL, Grid
from autograder.feedback.pictures.numbers import Matrix, square
from autograder.feedback.pictures.svg import Figure, Pictures
from autograder.feedback.texts import Texts


class LeakMap(BaseModel):
    """`expected` and `got`: (changed, moved) -> largest change of the output at the moved position."""

    kind: Literal["leak_map"]
    tokens: list[str] = Field(max_length=16)
    expected: Matrix | None = None
    got: Matrix


def draw(given: JsonValue, say: Texts) -> Pictures | None:
    """Expected and received map. None when the numbers do not fit the tokens. Raises ValidationError."""
    data = LeakMap.model_validate(given)
    n = len(data.tokens)
    if not square(data.got, n, n) or (data.expected is not None and not square(data.expected, n, n)):
        return None
    figures = []
    if data.expected is not None:
        figures.append(Figure(_one(data.tokens, data.expected, say), say("picture.expected")))
    figures.append(Figure(_one(data.tokens, data.got, say), say("picture.got"), wrong=True))
    words, legend = _words(data.tokens, data.got, say), say("picture.leak_map.legend")
    return Pictures(tuple(figures), words, legend, about(data.tokens, say))


def leaks(got: Matrix) -> list[tuple[int, int]]:
    """(changed, moved) pairs where the past moved, or is not a number."""
    return [(i, j) for i, row in enumerate(got) for j, x in enumerate(row) if j < i and _moved(x)]


def _moved(x: float | None) -> bool:
    return x is None or math.isnan(x) or x != 0


def _words(tokens: list[str], got: Matrix, say: Texts) -> str:
    found = leaks(got)
    if not found:
        missing = [str(i) for i, row in enumerate(got) if not _moved(row[i])]
        if missing:
            return say("picture.leak_map.words.deaf", changed=say.listed(missing))
        return say("picture.leak_map.words.none")
    total = len(tokens) * (len(tokens) - 1) // 2
    changed, moved = max(found, key=lambda p: p[0] - p[1])
    return say("picture.leak_map.words", n=len(found), total=total, changed=changed, moved=moved)


def _one(tokens: list[str], values: Matrix, say: Texts) -> Markup:
    grid = Grid(
        tokens,
        len(tokens),
        row_title=say("picture.leak_map.rows"),
        column_title=say("picture.leak_map.columns"),
    )
    for i, row in enumerate(values):
        for j, x in enumerate(row):
            px, py = grid.corner(i, j)
            cx, cy = grid.middle(i, j)
            past = j < i
            grid.canvas.rect(px, py, CELL, CELL, "cell past" if past else "cell")
            if not _moved(x):
                grid.canvas.circle(cx, cy, 1.5, "dot")
            elif past:
                grid.canvas.rect(px + 3, py + 3, CELL - 6, CELL - 6, "bad-soft")
                grid.canvas.cross(cx, cy, 7, "bad-line")
            else:
                grid.canvas.circle(cx, cy, 8, "good")
    return grid.canvas.done(_words(tokens, values, say))
