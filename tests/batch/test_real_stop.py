"""With the real judge: whoever dies, in the middle of a submission that never ends, nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.assignment import KIT as ROOT
from tests.batch.helpers import judge_of, parent

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc"),
    pytest.mark.slow,
]


def processes() -> dict[int, tuple[int, str]]:
    """pid -> (parent's pid, state) of all that run."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            found[int(entry.name)] = (int(parent), state)
    return found


def below(root: int) -> set[int]:
    """All processes that descend from `root`."""
    parents = {pid: above for pid, (above, _) in processes().items()}
    found: set[int] = set()
    more = {root}
    while more:
        more = {pid for pid, above in parents.items() if above in more} - found
        found |= more
    return found


def running(pids: set[int]) -> set[int]:
    """Those that still run; a zombie does not."""
    return {pid for pid, (_, state) in processes().items() if pid in pids and state != "Z"}


def until(condition: Callable[[], object], what: str, seconds: float = 300) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            pytest.fail(f"never happened: {what}")
        time.sleep(0.1)


@pytest.mark.parametrize("end", ["ctrl-c", "kill the batch", "kill who forks", "kill the judge"])
def test_nothing_is_left_of_a_loop(tmp_path: Path, end: str) -> None:
    loop = tmp_path / "class" / "ana" / "heads.py"
    loop.parent.mkdir(parents=True)
    loop.write_text("def split_heads(x, n_head):\n    while True:\n        pass\n")
    batch = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "autograder",
            "grade",
            str(tmp_path / "class"),
            "--out",
            str(tmp_path / "out"),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        # In the background of a shell SIGINT is ignored, which children would inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        # The judge, the zygote (and what isolates it) have started, and a worker is at work.
        until(lambda: len(below(batch.pid)) >= 5, "a judge, a zygote and a worker, and what starts them")
        journal = tmp_path / "out" / "journal.jsonl"  # judges start while the class is still being read
        until(lambda: journal.exists() and '"run"' in journal.read_text("utf-8"), "grading has begun")
        time.sleep(2)
        started = below(batch.pid)
        if end == "ctrl-c":
            os.killpg(batch.pid, signal.SIGINT)
        elif end == "kill the batch":
            os.kill(batch.pid, signal.SIGKILL)
        else:
            judge = judge_of(batch.pid)
            victim = judge if end == "kill the judge" else parent(judge)
            started = below(victim) | {victim}
            os.kill(victim, signal.SIGKILL)
        until(lambda: not running(started), "nothing left", seconds=300)
    finally:
        if end in ("kill who forks", "kill the judge"):  # it goes on with a new one
            os.killpg(batch.pid, signal.SIGINT)
        said, _ = batch.communicate(timeout=300)
    if end == "ctrl-c":
        assert batch.returncode == 130
        assert "Traceback" not in said
        assert "the same command goes on from here" in said
        assert "Not graded yet" in (tmp_path / "out" / "class.html").read_text(encoding="utf-8")
