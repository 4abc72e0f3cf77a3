"""The same mistake is not taken off twice, but only where it has been taken off once: by hidden tests."""

from __future__ import annotations

from dataclasses import replace

from autograder.assignment import load_assignment
from autograder.checks.outcome import Outcome
from autograder.diagnosis import Diagnosis
from autograder.diagnosis.entries import catalogue
from autograder.diagnosis.mutants import Planted, plant
from autograder.grading.repeated import not_twice
from autograder.results import Message, Verdict
from tests.chapter04.grading import assignment, case_of

FILES = {e.id: e.file for e in assignment().exercises}
MODULE, CACHE = (
    next(p for p in plant(catalogue(load_assignment())["no-scale"], load_assignment()) if p.exercise == e)
    for e in ("MultiHeadAttention", "attend_with_cache")
)


def found() -> tuple[list[Outcome], dict[str, Diagnosis]]:
    """No scale in the module, and again in the cache."""
    case = case_of({MODULE.file: MODULE.source, CACHE.file: CACHE.source})
    outcomes = case.follow_through(case.first_run())
    return outcomes, {p.exercise: _named(p) for p in (MODULE, CACHE)}


def _named(planted: Planted) -> Diagnosis:
    return Diagnosis([planted.mistake], complete=True, alike=(planted,))


def credited(outcomes: list[Outcome], diagnoses: dict[str, Diagnosis]) -> set[str]:
    done = not_twice(outcomes, diagnoses, assignment())
    return {o.id for o in done if o.exercise == CACHE.exercise and o.follow_through_of and o.max_points}


def test_what_hidden_tests_took_off_is_given_back() -> None:
    outcomes, diagnoses = found()
    lost = {o.id for o in outcomes if o.exercise == "attend_with_cache" and not o.earns and o.max_points}
    assert lost
    assert credited(outcomes, diagnoses) == lost


def test_a_mistake_that_only_the_probes_see_gives_nothing_back() -> None:
    outcomes, diagnoses = found()
    right = [
        replace(o, verdict=Verdict.PASSED) if o.exercise == MODULE.exercise and o.max_points else o
        for o in outcomes
    ]
    assert credited(right, diagnoses) == set()


def test_what_the_mistake_does_not_lose_is_not_given() -> None:
    outcomes, diagnoses = found()
    kept = next(o for o in outcomes if o.exercise == CACHE.exercise and o.earns and o.max_points)
    worse = [replace(o, verdict=Verdict.FAILED) if o is kept else o for o in outcomes]
    assert kept.id not in credited(worse, diagnoses)


def test_what_returns_nothing_is_given_nothing() -> None:
    outcomes, diagnoses = found()
    nothing = Message(id="not_written", params={"symbol": CACHE.exercise, "returned": "None"})
    unwritten = [
        replace(o, verdict=Verdict.FAILED, message=nothing) if o.exercise == CACHE.exercise else o
        for o in outcomes
    ]
    assert credited(unwritten, diagnoses) == set()
