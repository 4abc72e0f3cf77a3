"""Wrong code loses points in the right exercise and only there: one small file in wrong/ each.

These are mistakes that are not in the catalogue of known ones; test_catalogue.py does the same for that.
"""

from __future__ import annotations

from functools import cache

import pytest

from autograder.checks.outcome import Outcome
from tests.chapter04.grading import hidden_tests, lost, outcomes
from tests.chapter04.pieces import Written, all_in

WRONG = all_in("wrong")


@cache
def found_in(name: str) -> list[Outcome]:
    """What the hidden tests say to that file; asked for by two tests here."""
    wrong = next(w for w in WRONG if w.name == name)
    return outcomes(wrong.files, timing=wrong.timing)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda w: w.name)
def test_wrong_code_loses_points_in_its_exercise_only(wrong: Written):
    found = found_in(wrong.name)
    assert wrong.loses <= set(lost(found)) <= wrong.loses | wrong.may_lose, lost(found)
    assert [(o.id, o.message) for o in found if o.verdict == "grader_fault"] == []


def test_every_hidden_test_fails_on_some_wrong_code():
    """Also those that only tell: no test is there for nothing."""
    told = {id for style in all_in("styles") for id in style.told_by}
    failed = {o.id for wrong in WRONG for o in found_in(wrong.name) if not o.earns or o.follow_through_of}
    assert set(hidden_tests()) - failed - told == set()
