"""Where every number of every head was read from: a coded input makes each source visible.

Rows are the tokens a head should hold, columns its d_k numbers; a cell says which token (and dimension)
of the input it really came from.
"""

from __future__ import annotations

from typing import Annotated, Literal

from markupsafe import Markup
from pydantic import BaseModel, Field, JsonValue

from autograder.feedback.pictures.svg import Canvas, Figure, Pictures
from autograder.feedback.texts import Texts

Source = int | Annotated[list[int], Field(min_length=2, max_length=2)] | None  # token, or [token, dimension]
Sources = list[list[Source]]  # (n, n_head * d_k): one row a token, the heads side by side
HEIGHT, TOP, LEFT, GAP = 30, 22, 58, 14  # px: of a row, above the first, left of the cells, between heads
WIDEST = 330  # px


class ReadMap(BaseModel):
    """`got`: one row per token, one entry per (head, dimension); null where it is not of the input."""

    kind: Literal["read_map"]
    n_head: int = Field(ge=1, le=12)
    expected: Sources = Field(min_length=1, max_length=12)
    got: Sources = Field(min_length=1, max_length=12)


def draw(given: JsonValue, say: Texts) -> Pictures | None:
    """Expected and received sources. None when the lists do not fit together. Raises ValidationError."""
    data = ReadMap.model_validate(given)
    across = len(data.expected[0])
    rows_fit = all(len(row) == across for row in (*data.expected, *data.got))
    if not rows_fit or len(data.got) != len(data.expected) or not across or across % data.n_head:
        return None
    words = _words(data, say)
    figures = (
        Figure(
            _one(data, data.expected, say("picture.read_map.words.none"), say),
            say("picture.expected"),
        ),
        Figure(_one(data, data.got, words, say), say("picture.got"), wrong=True),
    )
    return Pictures(figures, words, say("picture.read_map.legend"))


def _words(data: ReadMap, say: Texts) -> str:
    d_k = len(data.expected[0]) // data.n_head
    for i, (wanted, found) in enumerate(zip(data.expected, data.got, strict=True)):
        for head in range(data.n_head):
            own = slice(head * d_k, (head + 1) * d_k)
            if wanted[own] != found[own]:
                tokens = sorted({s for s in (_token(x) for x in found[own]) if s is not None})
                if tokens and tokens != [i]:
                    listed = say.listed([str(s) for s in tokens])
                    return say("picture.read_map.words.tokens", head=head, token=i, tokens=listed)
                return say("picture.read_map.words.dimensions", head=head, token=i)
    return say("picture.read_map.words.none")


def _token(source: Source) -> int | None:
    return source[0] if isinstance(source, list) else source


def _name(source: Source) -> str:
    if isinstance(source, list):
        return f"{source[0]}·{source[1]}"
    return "?" if source is None else str(source)


def _one(data: ReadMap, values: Sources, words: str, say: Texts) -> Markup:
    n, d_k = len(values), len(values[0]) // data.n_head
    cell = 34 if any(isinstance(x, list) for row in values for x in row) else 24
    in_a_row = max(1, min(data.n_head, (WIDEST - LEFT + GAP) // (d_k * cell + GAP)))
    bands = -(-data.n_head // in_a_row)
    canvas = Canvas(LEFT + in_a_row * (d_k * cell + GAP) - GAP + 2, bands * (TOP + n * HEIGHT + GAP))
    for head in range(data.n_head):
        x0 = LEFT + head % in_a_row * (d_k * cell + GAP)
        y0 = head // in_a_row * (TOP + n * HEIGHT + GAP) + TOP
        canvas.text(x0, y0 - 12, say("picture.head", n=head), "muted", "start")
        for i in range(n):
            y = y0 + i * HEIGHT
            if head % in_a_row == 0:
                canvas.text(0, y + HEIGHT / 2, say("picture.token", n=i), "label", "start")
            for c in range(d_k):
                x, source = x0 + c * cell, values[i][head * d_k + c]
                right = source == data.expected[i][head * d_k + c]
                canvas.rect(x, y, cell, HEIGHT, "cell")
                if right:
                    canvas.rect(x + 2, y + 2, cell - 4, HEIGHT - 4, "good-fill", 0.16)
                else:
                    canvas.rect(x + 2, y + 2, cell - 4, HEIGHT - 4, "bad-box")
                canvas.text(x + cell / 2, y + HEIGHT / 2, _name(source), "label" if right else "bad-text")
    return canvas.done(words)
