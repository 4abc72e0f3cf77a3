"""A raw result -> the grade that counts. Results stay; a policy can be changed without grading again."""

from __future__ import annotations

import math
from dataclasses import dataclass

from autograder.results import SubmissionResult

DAY = 24 * 60 * 60


@dataclass(frozen=True)
class Grade:
    """`penalty` is in points; `late_days` is None when nobody knows when it came."""

    score: float
    late_days: int | None
    penalty: float

    @property
    def final(self) -> float:
        """What counts."""
        return max(0.0, round(self.score - self.penalty, 2))


def grade_of(result: SubmissionResult, late_seconds: float | None = None) -> Grade:
    """The grade of a result. A day that has begun is a day; nothing is taken off for it yet."""
    late_days = None if late_seconds is None else max(0, math.ceil(late_seconds / DAY))
    return Grade(round(result.score, 2), late_days, 0.0)
