"""What one more token costs, with the student's cache and without any, against the text's length."""

from __future__ import annotations

import math
from typing import Literal

from markupsafe import Markup
from pydantic import BaseModel, Field, JsonValue

from autograder.feedback.pictures.svg import Canvas, Figure, Pictures
from autograder.feedback.rich import number
from autograder.feedback.texts import Texts

WIDTH, HEIGHT = 340.0, 210.0  # px
LEFT, RIGHT, TOP, BOTTOM = 36.0, 12.0, 24.0, 40.0  # px around the curves


class Cost(BaseModel):
    """Cost of one token at each position, all in the same unit (the first cached token is a natural one)."""

    kind: Literal["cost"]
    positions: list[float] = Field(min_length=2, max_length=64)
    cached: list[float]
    uncached: list[float]


def draw(given: JsonValue, say: Texts) -> Pictures | None:
    """The two curves. None when the lists do not fit together. Raises ValidationError."""
    data = Cost.model_validate(given)
    if not len(data.positions) == len(data.cached) == len(data.uncached):
        return None
    if not all(math.isfinite(c) for c in (*data.cached, *data.uncached)) or min(data.cached) <= 0:
        return None
    if data.positions != sorted(data.positions) or data.positions[0] == data.positions[-1]:
        return None
    words = _words(data, say)
    return Pictures((Figure(_curves(data, words, say), say("picture.cost.caption")),), words, "")


def _words(data: Cost, say: Texts) -> str:
    return say(
        "picture.cost.words",
        first=data.positions[0],
        last=data.positions[-1],
        growth=round(data.cached[-1] / data.cached[0], 1),
        ratio=round(data.uncached[-1] / data.cached[-1], 1),
    )


def _curves(data: Cost, words: str, say: Texts) -> Markup:
    canvas = Canvas(WIDTH, HEIGHT)
    x0, x1 = data.positions[0], data.positions[-1]
    top = max(*data.cached, *data.uncached) or 1.0

    def place(x: float, y: float) -> tuple[float, float]:
        across = LEFT + (x - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT)
        return across, HEIGHT - BOTTOM - y / top * (HEIGHT - TOP - BOTTOM)

    for share in (0.0, 0.5, 1.0):
        _, y = place(x0, share * top)
        canvas.line(LEFT, y, WIDTH - RIGHT, y, "rule")
        canvas.text(LEFT - 5, y, number(round(share * top, 1), None), "muted", "end")
    for x, anchor in ((x0, "start"), (x1, "end")):
        canvas.text(place(x, 0)[0], HEIGHT - BOTTOM + 12, number(x, None), "muted", anchor)
    canvas.text(WIDTH / 2, HEIGHT - 8, say("picture.cost.axis"), "muted")
    canvas.path([place(x, y) for x, y in zip(data.positions, data.uncached, strict=True)], "curve other")
    canvas.path([place(x, y) for x, y in zip(data.positions, data.cached, strict=True)], "curve mine")
    for x, y in zip(data.positions, data.cached, strict=True):
        canvas.circle(*place(x, y), 3, "good")
    # A legend above the plot never lies on a curve.
    canvas.line(LEFT, 8, LEFT + 22, 8, "curve mine")
    canvas.text(LEFT + 28, 8, say("picture.cost.cached"), "label", "start")
    middle = WIDTH / 2 + 4
    canvas.line(middle, 8, middle + 22, 8, "curve other")
    canvas.text(middle + 28, 8, say("picture.cost.uncached"), "label", "start")
    return canvas.done(words)
