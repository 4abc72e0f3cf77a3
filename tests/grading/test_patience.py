"""A submission that only wastes time is given up, in every way of wasting it."""

from __future__ import annotations

import pytest

from autograder.assignment import load_assignment
from autograder.checks.outcome import judged
from autograder.grading.judge import Case
from autograder.grading.judge import grade as all_phases
from autograder.intake import Submission
from autograder.results import Verdict
from autograder.sandbox import Sandbox
from autograder.sandbox.errors import GraderFault
from tests.grading.conftest import Grade, hurried, lost

SLEEPY = b"""

import time

_split_heads = split_heads

def split_heads(x, n_head):
    time.sleep(2)  # below the limit of one call, each time
    return _split_heads(x, n_head)
"""


@pytest.mark.slow
def test_a_little_sleep_in_every_call(grade: Grade, solved: dict[str, bytes]) -> None:
    assignment = hurried(load_assignment())
    limits = assignment.limits.model_copy(update={"call_wall_seconds": 4.0})
    assignment = assignment.model_copy(update={"limits": limits})
    result = grade(solved | {"heads.py": solved["heads.py"] + SLEEPY}, assignment=assignment)
    timeouts = [t for t in result.tests if t.verdict is Verdict.TIMEOUT]
    assert timeouts
    assert all(t.message is not None and t.message.id == "timeout.submission" for t in timeouts)
    assert sum(t.seconds for t in result.tests) < 20 * 4.0


BURNS = b"""

import time

def %s(*args, **kwargs):
    end = time.process_time() + 0.5  # below the limit of one call, each time
    while time.process_time() < end:
        pass
"""


@pytest.mark.slow
def test_a_little_work_in_every_call_of_every_phase(sandbox: Sandbox, solved: dict[str, bytes]) -> None:
    """Each phase starts new workers; together they have one budget."""
    assignment = hurried(load_assignment())
    burning = {"heads.py": "split_heads", "mask.py": "causal_softmax", "kv_cache.py": "attend_with_cache"}
    files = {
        name: text + BURNS % burning[name].encode() if name in burning else text
        for name, text in solved.items()
    }
    case = Case(Submission("burner", files), assignment, sandbox, timing=False)
    result = all_phases(case)
    limits = assignment.limits
    assert case.spent < limits.submission_wall_seconds + 2 * limits.call_cpu_seconds
    assert result.score < 10


@pytest.mark.slow
def test_a_file_that_never_loads_is_waited_for_once(sandbox: Sandbox, solved: dict[str, bytes]) -> None:
    assignment = hurried(load_assignment())
    right = Case(Submission("right", solved), assignment, sandbox, timing=False)
    assert not lost(all_phases(right))
    case = Case(
        Submission("endless", solved | {"heads.py": solved["heads.py"] + b"\n\nwhile True:\n    pass\n"}),
        assignment,
        sandbox,
        timing=False,
    )
    result = all_phases(case)
    assert set(lost(result)) == {"split_heads", "merge_heads"}, "what comes later is judged without it"
    # Twice the wait, and what right code takes here and now, judged a few times over.
    assert case.spent < 3 * assignment.limits.call_cpu_seconds + 5 * right.spent


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
    assert judged(error, "split_heads", load_assignment())[0] is verdict
