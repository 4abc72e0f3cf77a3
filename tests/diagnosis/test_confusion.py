"""Each mistake gets its own name, and nothing else gets one."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from autograder.assignment import load_assignment
from autograder.diagnosis.confusion import Confusion, Row, confusion, show
from autograder.diagnosis.entries import catalogue
from tests.chapter04.grading import lost, outcomes
from tests.chapter04.pieces import Written, all_in, read
from tests.diagnosis.planting import assignment, named

STRANGERS = [read(path) for path in sorted((Path(__file__).parent / "strangers").glob("*.py"))]
EQUALS = [  # sets whose outputs are the same on every input, and why
    {"mask-missing", "mask-result-discarded"},  # either way nothing is masked
    {"fill-zero", "mask-multiply", "fill-tiny"},  # the score is 0 (or next to it) in all of them
    {"mask-polarity", "tril-forbidden"},  # not the upper triangle is the lower one
    {"order-kqv", "scores-transposed"},  # k times q turned, whichever of them is called q
    {"queries-cached-too", "recompute-all"},  # right values; both work through the whole text
]


@pytest.fixture(scope="module")
def table() -> Confusion:
    return confusion(assignment())


@pytest.mark.slow
def test_every_variant_is_named_as_itself_or_among_proved_equals(table):
    assert [r for r in table.rows if not r.right] == []
    assert {r.mistake for r in table.rows} == set(catalogue(load_assignment()))
    mixed = [r for r in table.rows if not r.alone and not any(set(r.named) <= e for e in EQUALS)]
    assert mixed == []


@pytest.mark.slow
def test_right_styles_and_texts_pass(table, capsys):
    assert table.styles_tried >= 6
    assert table.styles == ()
    assert table.texts == ()
    assert show(table, Console(width=100))
    assert "0 not" in capsys.readouterr().out


def test_a_row_that_is_named_otherwise_fails_the_table(capsys):
    wrong = Confusion((Row("no-scale", "MultiHeadAttention", 0, ("sqrt-d-model",)),), 1)
    assert not show(wrong, Console(width=100))
    assert "NO" in capsys.readouterr().out


@pytest.mark.slow
def test_no_right_style_is_ever_given_a_mistake_that_costs_points():
    wronged = [
        (style.name, exercise.id, mistake)
        for style in all_in("styles")
        for exercise in assignment().exercises
        for mistake in named(style.files, exercise.id)
        if not catalogue(load_assignment())[mistake].advice
    ]
    assert wronged == []


def test_there_are_enough_strangers():
    assert len(STRANGERS) >= 12


@pytest.mark.parametrize("stranger", STRANGERS, ids=lambda s: s.name)
def test_wrong_code_that_is_not_in_the_catalogue_loses_points_and_is_not_misnamed(stranger: Written):
    found = outcomes(stranger.files)
    assert stranger.loses <= set(lost(found))
    for exercise in assignment().exercises:
        if exercise.id != "gpt2":
            assert named(stranger.files, exercise.id, tuple(stranger.loses)) == ()
