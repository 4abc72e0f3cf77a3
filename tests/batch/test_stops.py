"""Stopped or killed, a batch leaves no process behind, loses only what was in hand, and goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autograder.assignment import KIT as ROOT
from autograder.batch import run
from tests.batch.helpers import BOTH_WAYS, Room, judge_of, parent, scores, until

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc"),
    pytest.mark.slow,
    BOTH_WAYS,
]


def start(room: Room) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.batch.drive", str(room.folder), room.start],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # In the background of a shell SIGINT is ignored, which children would inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        env=os.environ | {"THIS_TEST": str(room.folder)},
    )


def alive(room: Room) -> set[int]:
    """All processes that were started by this test, whoever their parent is now."""
    mark = f"THIS_TEST={room.folder}\0".encode()
    found = set()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes():
                found.add(int(entry.name))
        except OSError:
            continue
    return found


@pytest.fixture
def long_class(room: Room) -> Room:
    """Two that are graded at once, then two that never end, then more."""
    for i, words in enumerate(["score 10", "score 20", "hang", "hang", "score 30"]):
        room.hand_in(f"s{i}", words)
    return room


def in_the_middle(room: Room) -> subprocess.Popen[str]:
    batch = start(room)
    until(lambda: all((room.out / f"s{i}" / "result.json").exists() for i in (0, 1)), "two graded")
    time.sleep(0.3)
    return batch


def goes_on(room: Room) -> None:
    """The same again, now that nothing hangs: the first two are not graded a second time."""
    for i in (2, 3):
        room.hand_in(f"s{i}", "score 50")
    graded, heard = room.grade()
    assert heard.begun == (3, 2)
    assert scores(graded) == {"s0": 10, "s1": 20, "s2": 50, "s3": 50, "s4": 30}


def test_ctrl_c(long_class: Room) -> None:
    batch = in_the_middle(long_class)
    os.killpg(batch.pid, signal.SIGINT)  # what a terminal does: to everyone in the foreground
    said, _ = batch.communicate(timeout=300)  # two of them would never end by themselves
    assert said == "interrupted 5\n"
    until(lambda: not alive(long_class), "no process left")
    assert long_class.journal()[-1]["event"] == "interrupted"
    goes_on(long_class)


def test_whoever_was_only_to_be_graded_again_keeps_the_grade(room: Room, monkeypatch) -> None:
    for name in ("s0", "s1"):
        room.hand_in(name, "score 40")
    room.grade()

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run._Run, "_grade", stopped)
    graded, _ = room.grade(force=True)
    assert graded.interrupted
    assert [row.problems for row in graded.rows] == [(), ()]
    assert all(row.in_order for row in graded.rows)


def test_kill_9_of_the_batch(long_class: Room) -> None:
    batch = in_the_middle(long_class)
    assert len(alive(long_class)) >= 3
    os.kill(batch.pid, signal.SIGKILL)
    batch.communicate()
    until(lambda: not alive(long_class), "no process left")
    goes_on(long_class)


@pytest.mark.parametrize("who", ["judge", "who forks"])
def test_kill_9_of_a_judge_process(room: Room, who: str) -> None:
    if who != "judge" and room.start == "spawn":
        pytest.skip("a program of its own has none")
    room.hand_in("s0", f"note {room.folder / 'begun'} sleep 3 score 70")
    batch = start(room)
    until((room.folder / "begun").exists, "a judge process at work")
    judge = judge_of(batch.pid, room.start)
    os.kill(judge if who == "judge" else parent(judge), signal.SIGKILL)
    said, _ = batch.communicate(timeout=300)
    assert said == "whole 1\n"
    assert room.result("s0")["score"] == 70
    until(lambda: not alive(room), "no process left")
