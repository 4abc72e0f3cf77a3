"""What is only there together with the work itself counts only together with it.

A shape, a dtype, an input left alone, nothing leaked: code without an idea in it (zeros, its own input)
passes such tests too. They are marked `side` (hidden/kit.py), and earn where another test of the same
exercise does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autograder.checks.outcome import Outcome
from autograder.results import Message, Verdict


def is_work(exercise: str, outcomes: Sequence[Outcome]) -> bool:
    """Whether something of an exercise is done: a test that is no side test earns, be it worth no points."""
    return any(o.exercise == exercise and not o.side and o.earns for o in outcomes)


def with_substance(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Side tests of exercises without any work in them are skipped. Exercises of which no other test was run
    stay as they are."""
    judged = {o.exercise for o in outcomes if not o.side}
    idle = {exercise for exercise in judged if not is_work(exercise, outcomes)}
    return [_skipped(o, outcomes) if o.side and o.earns and o.exercise in idle else o for o in outcomes]


def _skipped(outcome: Outcome, outcomes: Sequence[Outcome]) -> Outcome:
    mistakes = next((o.mistakes for o in outcomes if o.exercise == outcome.exercise and o.mistakes), ())
    return replace(
        outcome,
        verdict=Verdict.SKIPPED,
        message=Message(id="needs_substance", params={"exercise": outcome.exercise}),
        follow_through_of=(),
        mistakes=mistakes,
    )
