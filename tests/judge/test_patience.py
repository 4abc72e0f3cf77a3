"""A submission that only wastes time is given up, in every way of wasting it."""

from __future__ import annotations

import pytest

from autograder.course import load_course
from autograder.hidden.outcome import judged
from autograder.results import Verdict
from autograder.sandbox.errors import GraderFault
from tests.judge.conftest import Grade, hurried

SLEEPY = b"""

import time

_split_heads = split_heads

def split_heads(x, n_head):
    time.sleep(2)  # below the limit of one call, each time
    return _split_heads(x, n_head)
"""


@pytest.mark.slow
def test_a_little_sleep_in_every_call(grade: Grade, solved: dict[str, bytes]) -> None:
    course = hurried(load_course())
    limits = course.limits.model_copy(update={"call_wall_seconds": 4.0})
    course = course.model_copy(update={"limits": limits})
    result = grade(solved | {"heads.py": solved["heads.py"] + SLEEPY}, course=course)
    timeouts = [t for t in result.tests if t.verdict is Verdict.TIMEOUT]
    assert timeouts
    assert all(t.message is not None and t.message.id == "timeout.repeated" for t in timeouts)
    # Three full waits in the first phase, and no later phase waits all of that again for each exercise.
    assert sum(t.seconds for t in result.tests) < 20 * 4.0


@pytest.mark.parametrize(
    ("error", "verdict"),
    [
        (IndexError("no rows"), Verdict.ERROR),
        (RuntimeError("sizes differ"), Verdict.ERROR),
        (TypeError("not a number"), Verdict.ERROR),
        (RuntimeError("can't allocate memory"), Verdict.GRADER_FAULT),
        (MemoryError(), Verdict.GRADER_FAULT),
        (OSError("disk full"), Verdict.GRADER_FAULT),
        (GraderFault("the zygote is gone"), Verdict.GRADER_FAULT),
    ],
)
def test_whose_fault_an_unforeseen_error_is(error: Exception, verdict: Verdict) -> None:
    """A value that a test stumbles over earns nothing; what the machine lacks costs nothing."""
    assert judged(error, "split_heads", load_course())[0] is verdict
