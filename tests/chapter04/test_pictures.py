"""Pictures: what they say in words is true, and what does not fit is not drawn."""

from __future__ import annotations

import math
from typing import Any

import pytest

from autograder.chapter04.pictures.leak_map import leaks
from autograder.course import Language
from autograder.feedback.pictures import picture
from tests.feedback.languages import LANGUAGES, say
from tests.feedback.reading import Page

TOKENS = ["O", "Brasil", "é"]


def svg(markup: str) -> Page:
    return Page(f"<body>{markup}</body>")


def test_leak_map() -> None:
    data: dict[str, Any] = {"kind": "leak_map", "tokens": TOKENS}
    right = [[1.0, 0.5, 0.5], [0, 1, 0.5], [0, 0, 1]]
    wrong = [[1, 0.5, 0.5], [0, 1, 0.5], [0, 0.2, 1]]
    drawn = picture({**data, "expected": right, "got": wrong}, say("en"))
    assert drawn
    assert len(drawn.figures) == 2
    assert "1 of 3 pairs" in drawn.words
    assert "changing token 2 moved the output at position 1" in drawn.words
    expected, got = (svg(str(f.svg)) for f in drawn.figures)
    assert len(got.all("rect")) == 9 + 1  # one cell is framed
    assert len(expected.all("rect")) == 9
    assert len(got.all("line")) == 2  # the two strokes of one cross
    assert not expected.all("line")
    calm = picture({**data, "expected": right, "got": right}, say("en"))
    assert calm
    assert "No change" in calm.words
    deaf = picture({**data, "got": [[0, 0, 0]] * 3}, say("en"))
    assert deaf
    assert "does not even move its own" in deaf.words


def test_a_leak_is_what_moves_before_the_change() -> None:
    assert leaks([[1, 1], [0, 1]]) == []
    assert leaks([[1, 1], [1e-9, 1]]) == [(1, 0)]
    assert leaks([[1, 1], [math.nan, 1]]) == [(1, 0)]


def test_attention() -> None:
    weights = [[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]]
    data: dict[str, Any] = {"kind": "attention", "tokens": TOKENS, "expected": weights}
    good = picture({**data, "got": weights}, say("en"))
    assert good
    assert "No row looks at the future" in good.words
    future = picture({**data, "got": [[0.5, 0.5, 0], *weights[1:]]}, say("en"))
    assert future
    assert "look at the future: 0" in future.words
    sums = picture({**data, "got": [[0.5, 0, 0], *weights[1:]]}, say("pt-BR"))
    assert sums
    assert "não somam 1: 0" in sums.words
    nan = picture({**data, "got": [["nan", None, 0], *weights[1:]]}, say("en"))
    assert nan
    assert "NaN (not a number) in row 0" in nan.words
    assert "NaN" in svg(str(nan.figures[1].svg)).text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_what_is_framed_is_wrong_and_only_then_it_is_said(lang: Language) -> None:
    weights = [[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]]
    framed = {"en": "A framed number is wrong", "pt-BR": "número emoldurado"}[lang]
    for got, n in (
        (weights, 0),
        ([*weights[:2], [0.2, 0.2, 0.6]], 2),  # another value, though it sums to 1
        ([[1, 0, 0], [0.4, 0.6, 0], [0.1, 0.3, 0.6]], 4),
        ([[0.5, 0.5, 0], *weights[1:]], 2),
        ([[0.5, 0, 0], *weights[1:]], 1),
        ([["nan", 0, 0], *weights[1:]], 1),
    ):
        data: Any = {"kind": "attention", "tokens": TOKENS, "expected": weights, "got": got}
        drawn = picture(data, say(lang))
        assert drawn
        boxes = [
            [e for e in svg(str(f.svg)).all("rect") if e.attributes["class"] == "bad-box"]
            for f in drawn.figures
        ]
        assert [len(b) for b in boxes] == [0, n]
        assert (framed in drawn.legend) is bool(n)
    other = picture({**data, "got": [*weights[:2], [0.2, 0.2, 0.6]]}, say("en"))
    assert other
    assert other.words.endswith("The weights in row 2 are not the expected ones.")


def test_it_is_said_what_a_picture_is_made_on() -> None:
    weights = [[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]]
    data: dict[str, Any] = {"tokens": TOKENS, "got": weights}
    drawn = picture({**data, "kind": "attention", "head": 0}, say("en"))
    assert drawn
    assert "an example sentence of ours, “O Brasil é”, and shows head 0" in drawn.about
    for kind in ("attention", "leak_map"):
        drawn = picture({**data, "kind": kind}, say("pt-BR"))
        assert drawn
        assert drawn.about == "A figura é feita com uma frase de exemplo nossa, “O Brasil é”."


def test_attention_of_new_tokens_only() -> None:
    """Two queries over three tokens are the last two: nothing before them is the future."""
    rows = [[0.5, 0.5, 0], [0.2, 0.3, 0.5]]
    drawn = picture({"kind": "attention", "tokens": TOKENS, "expected": rows, "got": rows}, say("en"))
    assert drawn
    assert "No row looks at the future" in drawn.words
    text = svg(str(drawn.figures[0].svg)).text
    assert "1 Brasil" in text
    assert "0 O" not in text


def test_read_map() -> None:
    right = [[0, 0, 0, 0], [1, 1, 1, 1]]
    drawn = picture(
        {"kind": "read_map", "n_head": 2, "expected": right, "got": [[0, 0, 1, 1], [0, 0, 1, 1]]}, say()
    )
    assert drawn
    assert "Where head 1 should hold token 0, its numbers were read from token 1" in drawn.words
    boxes = [e for e in svg(str(drawn.figures[1].svg)).all("rect") if e.attributes["class"] == "bad-box"]
    assert len(boxes) == 4
    pairs = [[[0, 0], [0, 1]], [[1, 0], [1, 1]]]
    swapped = [[[0, 1], [0, 0]], [[1, 0], [1, 1]]]
    drawn = picture({"kind": "read_map", "n_head": 1, "expected": pairs, "got": swapped}, say("en"))
    assert drawn
    assert "the wrong dimensions" in drawn.words


def test_cost() -> None:
    data: dict[str, Any] = {"kind": "cost", "positions": [64, 512], "cached": [1, 1.2], "uncached": [2, 17]}
    drawn = picture(data, say("pt-BR"))
    assert drawn
    assert "depois de 512 tokens custa 1,2 vezes" in drawn.words
    assert "14,2 vezes" in drawn.words
    assert len(svg(str(drawn.figures[0].svg)).all("polyline")) == 2


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"kind": "else"},
        {"kind": "leak_map", "tokens": TOKENS, "got": [[1, 2], [3, 4]]},
        {"kind": "leak_map", "tokens": ["x"] * 99, "got": [[0] * 99] * 99},
        {"kind": "attention", "tokens": TOKENS, "got": []},
        {"kind": "attention", "tokens": TOKENS, "got": [[1, 2, "x"]]},
        {"kind": "read_map", "n_head": 2, "expected": [[0, 0, 0]], "got": [[0, 0, 0]]},
        {"kind": "read_map", "n_head": 0, "expected": [[0]], "got": [[0]]},
        {"kind": "cost", "positions": [2, 1], "cached": [1, 1], "uncached": [1, 1]},
        {"kind": "cost", "positions": [1], "cached": [1], "uncached": [1]},
    ],
)
def test_what_does_not_fit_is_not_drawn(data: Any) -> None:
    assert picture(data, say("en")) is None
