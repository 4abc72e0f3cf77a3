"""How many students have how many points: bars that lie, so that they fit on a phone."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.feedback.pictures.svg import Canvas, Figure, Pictures
from autograder.feedback.texts import Texts

WIDTH, LEFT, RIGHT, ROW, BAR = 340, 62, 34, 23, 16  # px


def histogram(bins: Sequence[int], say: Texts) -> Pictures:
    """`bins`: students with 0–9 %, 10–19 % … 90–99 %, and exactly 100 %; the best on top."""
    canvas = Canvas(WIDTH, len(bins) * ROW + 4)
    most = max(*bins, 1)
    said = []
    for row, i in enumerate(reversed(range(len(bins)))):
        count, y = bins[i], row * ROW + 2
        length = count / most * (WIDTH - LEFT - RIGHT)
        name = _name(i, len(bins))
        canvas.text(LEFT - 8, y + ROW / 2, f"{name} %", "muted", "end")
        if count:
            canvas.rect(LEFT, y + (ROW - BAR) / 2, length, BAR, "bar")
            canvas.text(LEFT + length + 6, y + ROW / 2, str(count), "label", "start")
            said.append(say("picture.histogram.bin", range=name, n=count))
    canvas.line(LEFT, 0, LEFT, len(bins) * ROW + 4, "edge")
    words = say("picture.histogram.words", bins="; ".join(said))
    return Pictures((Figure(canvas.done(words), say("picture.histogram.caption")),), words, "")


def _name(i: int, bins: int) -> str:
    if i == bins - 1:
        return "100"
    wide = 100 // (bins - 1)
    return f"{i * wide}–{(i + 1) * wide - 1}"
