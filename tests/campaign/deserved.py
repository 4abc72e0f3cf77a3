"""What an answer without an idea deserves."""

from __future__ import annotations

from autograder.grading.judge import Case, phases

TOGETHER = 15.0  # of 100, for one idea in all exercises
# The module that was written before does give what attention without a past is: a known beginning of a cache.
A_BEGINNING = {("attend_with_cache", "exercise before"): 6.0}
# What GPT-2 does without the exercise: with the cache it runs on attend_with_cache alone, else on the module.
IN_GPT2 = {"MultiHeadAttention": 2.0, "attend_with_cache": 3.0}
SEEN_AGAIN = {("MultiHeadAttention", "running sum"): 1.0}  # looks back, and leaks nothing


def earned_by(case: Case) -> dict[str, float]:
    """exercise -> points, of all phases."""
    outcomes, _ = phases(case)
    points = {e.id: 0.0 for e in case.assignment.exercises}
    for outcome in outcomes:
        points[outcome.exercise] += outcome.max_points if outcome.earns else 0.0
    return points


def deserved(exercise: str, name: str, points: dict[str, float]) -> tuple[float, float]:
    """(points for a body and what leans on it alone, points that it deserves)"""
    if exercise not in IN_GPT2:
        return points[exercise], 0.0
    more = A_BEGINNING.get((exercise, name), 0.0) + SEEN_AGAIN.get((exercise, name), 0.0)
    return points[exercise] + points["gpt2"], IN_GPT2[exercise] + more
