"""The same known mistake in a later exercise is not taken off again.

That both exercises show it to the probes is not enough, for code may tell probes from hidden tests. The
mistake itself, planted in the solution, is run through the hidden tests: the earlier exercise must have lost
all that it loses there, and of the later one only that is given back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autograder.assignment import Assignment
from autograder.checks.directly import hidden_tests, run_directly
from autograder.checks.outcome import Outcome
from autograder.diagnosis import Diagnosis
from autograder.diagnosis.mutants import Planted
from autograder.results import Verdict

_LOST: dict[tuple[str, Planted], frozenset[str]] = {}


def not_twice(
    outcomes: Sequence[Outcome], diagnoses: Mapping[str, Diagnosis], assignment: Assignment
) -> list[Outcome]:
    """Credit for what an earlier exercise has paid for.

    A complete diagnosis means that the output equals the known wrong variant's on all probes: apart from this
    one mistake the later exercise is right. Cost is no part of that proof and stays taken off. Raises
    GraderFault.
    """
    done = list(outcomes)
    for exercise in diagnoses:
        found = diagnoses[exercise]
        if not found.complete or not assignment.own_symbols(exercise) or _unwritten(exercise, done):
            continue
        before = [e for e in _before(exercise, diagnoses) if set(diagnoses[e].mistakes) & set(found.mistakes)]
        paid = tuple(e for e in before if _has_paid(e, found, diagnoses, done, assignment))
        given = (
            frozenset[str]().union(*(_lost_by(p, assignment) for p in found.alike)) if paid else frozenset()
        )
        done = [_credited(o, tuple(before), paid, given) if o.exercise == exercise else o for o in done]
    return done


def _credited(
    outcome: Outcome, told: tuple[str, ...], paid: tuple[str, ...], given: frozenset[str]
) -> Outcome:
    """What costs nothing need only have been told before; what proves work is never given. What a measurement
    of cost says of outputs is as good as another test; of its figures nothing is known here."""
    if outcome.earns or _about_cost(outcome):
        return outcome
    if outcome.max_points == 0:
        return outcome.credited(told) if told and outcome.side else outcome
    measured = outcome.timing and outcome.verdict is Verdict.FAILED
    return outcome.credited(paid) if paid and (outcome.id in given or measured) else outcome


def _before(exercise: str, diagnoses: Mapping[str, Diagnosis]) -> list[str]:
    order = list(diagnoses)
    return order[: order.index(exercise)]


def _has_paid(
    earlier: str,
    later: Diagnosis,
    diagnoses: Mapping[str, Diagnosis],
    outcomes: Sequence[Outcome],
    assignment: Assignment,
) -> bool:
    """Whether an earlier exercise has lost, for one of the same mistakes, what that costs there."""
    lost = {o.id for o in outcomes if o.exercise == earlier and not o.earns and o.max_points > 0}
    same = [p for p in diagnoses[earlier].alike if p.mistake in later.mistakes and p.attempt]
    return any(cost and cost <= lost for cost in (_lost_by(p, assignment) for p in same))


def _lost_by(planted: Planted, assignment: Assignment) -> frozenset[str]:
    """Ids of its exercise's tests that a planted mistake loses points in. Kept for this process."""
    key = (assignment.model_dump_json(), planted)
    if key not in _LOST:
        tests = hidden_tests(assignment).items()
        wanted = {
            id for id, (_, mark) in tests if mark["exercise"] == planted.exercise and mark["points"] > 0
        }
        found = run_directly(assignment, planted.student(), only=wanted, timing=False)
        _LOST[key] = frozenset(o.id for o in found if not o.earns)
    return _LOST[key]


def _unwritten(exercise: str, outcomes: Sequence[Outcome]) -> bool:
    return any(o.unwritten for o in outcomes if o.exercise == exercise)


def _about_cost(outcome: Outcome) -> bool:
    return outcome.message is not None and outcome.message.id.startswith("cost.")
