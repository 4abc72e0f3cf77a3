"""Wrong code loses points in the right exercise and only there: one small file in wrong/ each.

These are mistakes that are not in the catalogue of known ones; test_catalogue.py does the same for that.
"""

from __future__ import annotations

import pytest

from autograder.hidden.outcome import Outcome
from tests.hidden.grading import lost, outcomes
from tests.hidden.pieces import Written, all_in

WRONG = all_in("wrong")


@pytest.mark.parametrize("wrong", WRONG, ids=lambda w: w.name)
def test_wrong_code_loses_points_in_its_exercise_only(wrong: Written):
    found = outcomes(wrong.files, timing=wrong.timing)
    assert set(lost(found)) == wrong.loses, lost(found)
    assert not [o for o in found if o.verdict == "grader_fault"]


def test_every_test_can_fail(monkeypatch):
    """Whatever a test is for, some wrong code is caught by it, and rounding is not."""
    failed = {o.id for wrong in WRONG for o in _cached(wrong) if o.verdict != "passed"}
    everything = {o.id for o in _cached(WRONG[0])}
    assert everything - failed == set()


def _cached(wrong: Written) -> list[Outcome]:
    return outcomes(wrong.files)
