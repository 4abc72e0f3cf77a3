"""The same submission gets the same grade, on a busy machine as on an idle one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from autograder.results import SubmissionResult
from tests.grading.conftest import Hand

BUSY = "while True: sum(range(10000))"
Told = list[tuple[str, str, float]]


@contextmanager
def both_cores_busy() -> Iterator[None]:
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(2)]
    try:
        yield
    finally:
        for one in busy:
            one.kill()
            one.wait()


def graded(hand_in: Hand, files: dict[str, bytes], times: int) -> list[SubmissionResult]:
    futures = [hand_in(files, timing=True) for _ in range(times)]
    answers = [future.result(timeout=600) for future in futures]
    assert all(a.result is not None for a in answers), [a.fault for a in answers if a.fault]
    return [a.result for a in answers if a.result is not None]


def told(result: SubmissionResult) -> Told:
    """What each test says."""
    return [(t.id, str(t.verdict), t.points) for t in result.tests]


@pytest.mark.endurance
def test_right_work_twenty_times_on_a_busy_machine(hand_in: Hand, solved: dict[str, bytes]) -> None:
    with both_cores_busy():
        results = graded(hand_in, solved, 20)
    first = told(results[0])
    assert {verdict for _, verdict, _ in first} == {"passed"}
    for result in results:
        assert told(result) == first
        assert result.score == 100
        assert not result.flags


@pytest.mark.endurance
def test_a_cache_that_gains_nothing_on_a_busy_machine(hand_in: Hand, solved: dict[str, bytes]) -> None:
    """Right values and no gain: everything is computed anew from a history of inputs."""
    files = dict(solved)
    files["kv_cache.py"] += RECOMPUTE
    with both_cores_busy():
        results = graded(hand_in, files, 4)
    idle = told(graded(hand_in, files, 1)[0])
    for result in results:
        assert told(result) == idle
    assert {id.partition("/")[0] for id, verdict, _ in idle if verdict == "failed"} == {"kv_cache"}
    assert {t.exercise for t in results[0].tests if not t.points and t.max_points} == {"attend_with_cache"}


RECOMPUTE = b"""

def attend_with_cache(attention, x_new, cache=None):
    x = x_new if cache is None else torch.cat([cache, x_new], dim=1)  # (B, n_past + m, d)
    return attention(x)[:, -x_new.shape[1]:], x
"""
