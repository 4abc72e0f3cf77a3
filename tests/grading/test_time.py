"""One submission takes a class no longer than `submission_wall_seconds`, whatever it spends its time on."""

from __future__ import annotations

import time

import pytest

from autograder.assignment import Assignment, load_assignment
from autograder.grading.judge import Case
from autograder.grading.judge import grade as all_phases
from autograder.intake import Submission
from autograder.results import SubmissionResult, Verdict
from autograder.sandbox import Sandbox
from tests.grading.conftest import lost

SECONDS = 2.0  # that a submission may take
LEAST = 2.0  # seconds that an honest one counts at least
MULTIPLE = 3  # times an honest one, on top of what a submission may take: our own time

AT_IMPORT = "\nimport time\ntime.sleep(0.7)\n"
BURNS = "end = time.process_time() + 0.3\n    while time.process_time() < end: pass"
EVERY_CALL = """
import {imports}

_split_heads = split_heads

def split_heads(x, n_head):
    {body}
    return _split_heads(x, n_head)
"""


def every_call(body: str, imports: str = "time") -> dict[str, str]:
    """heads.py whose split_heads does something else first."""
    return {"heads.py": EVERY_CALL.format(body=body, imports=imports)}


KINDS: dict[str, dict[str, str]] = {
    "sleeps-at-import": {"heads.py": AT_IMPORT},
    "sleeps-at-import-of-all": dict.fromkeys(("heads.py", "mask.py", "kv_cache.py"), AT_IMPORT),
    "sleeps-in-every-call": every_call("time.sleep(0.3)"),
    "burns-in-every-call": every_call(BURNS),
    "thread-burns-while-main-sleeps": every_call(
        "t = threading.Thread(target=lambda: sum(range(10**8)))\n    t.daemon = True\n    t.start()\n"
        "    time.sleep(0.05)",
        "time, threading",
    ),
    "memory-up-and-down": every_call("torch.ones(25 << 20).sum(); torch.ones(25 << 20).sum()", "torch"),
    "memory-bomb": every_call("kept = []\n    while True: kept.append(torch.ones(1 << 20))", "torch"),
    "sleeps-when-it-is-forgotten": {
        "attention.py": "\nimport time\nMultiHeadAttention.__del__ = lambda self: time.sleep(0.4)\n"
    },
    "closes-its-socket-and-sleeps": every_call("os.close(3); time.sleep(100)", "os, time"),
    "stops-itself": every_call("os.kill(os.getpid(), signal.SIGSTOP)", "os, signal"),
    "prints-floods": every_call("[print('x' * 10**6) for _ in range(300)]", "os"),
    "hangs-beside-the-reference": {
        "heads.py": "\ndef split_heads(x, n_head):\n    return x.view(len(x), n_head, x.shape[1], -1)\n",
        "attention.py": "\nimport time\ntime.sleep(0 if split_heads.__module__.endswith('heads') else 0.7)\n",
    },
    "asks-the-model-for-ever": {
        "kv_cache.py": "\n_generate = generate\n\ndef generate(model, ids, n, use_cache=True):\n"
        "    for _ in range(250): model(ids)\n    return _generate(model, ids, n, use_cache)\n"
    },
}  # fmt: skip


def hurried(seconds: float = SECONDS) -> Assignment:
    """The course with limits that a test can wait for."""
    assignment = load_assignment()
    new = {
        "call_cpu_seconds": 1.0,
        "call_wall_seconds": 1.0,
        "submission_wall_seconds": seconds,
        "memory_mb": 200,
    }
    return assignment.model_copy(update={"limits": assignment.limits.model_copy(update=new)})


def graded(
    files: dict[str, bytes], assignment: Assignment, sandbox: Sandbox
) -> tuple[SubmissionResult, float, Case]:
    """(result, seconds, the case)"""
    case = Case(Submission("ada", files), assignment, sandbox, timing=False)
    began = time.monotonic()
    return all_phases(case), time.monotonic() - began, case


@pytest.fixture(scope="module")
def honest(sandbox: Sandbox, solved_once: dict[str, bytes]) -> float:
    graded(solved_once, load_assignment(), sandbox)  # imports what is imported once
    return max(LEAST, graded(solved_once, load_assignment(), sandbox)[1])


@pytest.fixture(scope="module")
def solved_once() -> dict[str, bytes]:
    from autograder.sandbox import reference_files

    return dict(reference_files(load_assignment()))


@pytest.mark.parametrize("kind", KINDS)
def test_a_submission_has_an_end(
    kind: str, sandbox: Sandbox, solved_once: dict[str, bytes], honest: float
) -> None:
    changed = {name: solved_once[name] + b"\n" + more.encode() for name, more in KINDS[kind].items()}
    files = {**solved_once, **changed}
    result, seconds, case = graded(files, hurried(), sandbox)
    assert seconds < SECONDS + MULTIPLE * honest, kind
    assert case.spent < SECONDS + 2
    assert not [t for t in result.tests if t.verdict is Verdict.GRADER_FAULT]
    for test in result.tests:
        if test.verdict is Verdict.TIMEOUT:
            assert test.points == 0
            assert test.message is not None


def test_what_is_cut_off_says_so_and_keeps_what_it_has(
    sandbox: Sandbox, solved_once: dict[str, bytes]
) -> None:
    files = {**solved_once, "attention.py": solved_once["attention.py"] + b"\nimport time\ntime.sleep(0.8)\n"}
    result, _, _ = graded(files, hurried(1.5), sandbox)
    assert {"split_heads", "merge_heads", "causal_mask", "causal_softmax"}.isdisjoint(lost(result))
    cut = [t for t in result.tests if t.verdict is Verdict.TIMEOUT]
    assert cut
    assert {t.message.id for t in cut if t.message} == {"timeout.submission"}
    assert {t.message.params["seconds"] for t in cut if t.message} == {1.5}


def test_our_own_time_has_an_end_too(sandbox: Sandbox, solved_once: dict[str, bytes]) -> None:
    """The judge's work for one submission is taken from the same seconds."""
    assignment = hurried()
    case = Case(Submission("ada", solved_once), assignment, sandbox, timing=False)
    end = time.process_time() + SECONDS
    while time.process_time() < end:
        pass
    result = all_phases(case)
    assert {t.verdict for t in result.tests} == {Verdict.TIMEOUT}
