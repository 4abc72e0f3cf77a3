"""Pictures that every chapter has."""

from __future__ import annotations

import pytest

from autograder.feedback.pictures.histogram import histogram
from tests.feedback.languages import say
from tests.feedback.reading import Page


def svg(markup: str) -> Page:
    return Page(f"<body>{markup}</body>")


def test_histogram() -> None:
    drawn = histogram([2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4], say())
    assert drawn.words == "Number of students by score. 100 %: 4; 90–99 %: 1; 0–9 %: 2."
    bars = [float(e.attributes["width"]) for e in svg(str(drawn.figures[0].svg)).all("rect")]
    assert bars[0] == pytest.approx(2 * bars[2], rel=0.01)
    assert bars[0] == pytest.approx(4 * bars[1], rel=0.01)
