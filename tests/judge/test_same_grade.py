"""The same submission gets the same grade, on a busy machine as on an idle one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.judge.conftest import Hand

BUSY = "while True: sum(range(10000))"


@pytest.mark.slow
def test_twenty_times_on_a_busy_machine(hand_in: Hand, solved: dict[str, bytes]) -> None:
    wrong = dict(solved)
    wrong["kv_cache.py"] += RECOMPUTE
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(2)]
    try:
        futures = [hand_in(files, timing=True) for _ in range(10) for files in (solved, wrong)]
        answers = [f.result(timeout=600).result for f in futures]
    finally:
        for one in busy:
            one.kill()
            one.wait()
    assert all(a is not None for a in answers)
    right = [[(t.id, t.points) for t in a.tests] for a in answers[::2] if a]
    slow = [[(t.id, t.points) for t in a.tests] for a in answers[1::2] if a]
    assert all(a.score == 100 for a in answers[::2] if a)
    assert right == [right[0]] * 10
    assert slow == [slow[0]] * 10
    assert answers[1] is not None
    assert {t.exercise for t in answers[1].tests if not t.points and t.max_points} == {"attend_with_cache"}


# Right values and no gain: everything is computed anew from a history of inputs.
RECOMPUTE = b"""

def attend_with_cache(attention, x_new, cache=None):
    x = x_new if cache is None else torch.cat([cache, x_new], dim=1)  # (B, n_past + m, d)
    return attention(x)[:, -x_new.shape[1]:], x
"""
