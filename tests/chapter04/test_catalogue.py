"""Every known mistake loses points in the exercise where it is planted, and only there or inside GPT-2."""

from __future__ import annotations

import pytest

from autograder.assignment import load_assignment
from autograder.diagnosis.entries import catalogue
from autograder.diagnosis.mutants import Planted, plant
from tests.chapter04.grading import assignment, lost, outcomes
from tests.chapter04.pieces import FILES, SOLUTIONS

ADVICE = {id for id, entry in catalogue(load_assignment()).items() if entry.advice}
FILE_OF = {e.id: e.file for e in assignment().exercises}
# One of each mistake, where it belongs. Its further variants are gone through when the mistakes are named.
PLANTED = [plant(entry, load_assignment())[0] for entry in catalogue(load_assignment()).values()]
COST = {"recompute-all"}  # the numbers are right, only the time is not


@pytest.mark.parametrize("planted", PLANTED, ids=lambda p: p.mistake)
def test_a_known_mistake_loses_points_where_it_is(planted: Planted):
    files = {name: (SOLUTIONS / name).read_text(encoding="utf-8") for name in FILES}
    files[planted.file] = planted.source
    found = outcomes(files, timing=planted.mistake in COST)
    assert [(o.id, o.message) for o in found if o.verdict == "grader_fault"] == []
    if planted.mistake in ADVICE:
        assert lost(found) == {}
    else:
        assert {planted.exercise} <= set(lost(found)) <= {planted.exercise, "gpt2"}, lost(found)
