"""A Dask cluster grades as this machine does, also when a worker is killed, or is one that must not grade."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from autograder.assignment import KIT as ROOT
from autograder.batch import cluster as module
from autograder.batch.cluster import cluster
from autograder.batch.pool import PoolError
from autograder.batch.run import NotIsolated
from tests.batch.helpers import Room, problems, scores

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

GOOD, OTHER_KIT = "tests.batch.preload", "tests.batch.other_kit"


def program(*words: str, **env: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *words],
        cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | env,
    )  # fmt: skip


@contextmanager
def scheduler(folder: Path, *workers: str, **env: str) -> Iterator[str]:
    """A scheduler, and a worker for each module that it is to load first; as people start them."""
    file = folder / "scheduler.json"
    running = [program("scheduler", "--scheduler-file", str(file), "--no-dashboard", "--port", "0")]
    try:
        for one in workers:
            running.append(
                program("worker", "--scheduler-file", str(file), "--preload", one, "--nthreads", "1",
                        "--no-dashboard", "--local-directory", str(folder), **env)
            )  # fmt: skip
        while not file.exists():
            time.sleep(0.1)
        with distributed.Client(scheduler_file=str(file), timeout=60, set_as_default=False) as client:
            if workers:
                client.wait_for_workers(len(workers), timeout=60)
            yield client.scheduler.address
    finally:
        for one in running[::-1]:
            one.terminate()
        for one in running:
            one.wait(60)


def good_ones(client: Any) -> dict[str, int]:
    """Address -> process, of the workers that may grade."""
    said = client.run(lambda: (os.getpid(), "tests.batch.other_kit" in sys.modules))
    return {address: pid for address, (pid, other) in said.items() if not other}


def kill_one(address: str, room: Room) -> threading.Thread:
    """Kills a worker in the middle of the class."""

    def kill() -> None:
        with distributed.Client(address, set_as_default=False) as client:
            pids = good_ones(client)
            while len(list(room.out.glob("*/result.json"))) < 40:
                time.sleep(0.05)
            os.kill(next(iter(pids.values())), signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


@pytest.mark.parametrize(
    ("n", "workers"),
    [
        pytest.param(500, (GOOD, GOOD, OTHER_KIT), marks=pytest.mark.endurance),
        pytest.param(60, (GOOD, OTHER_KIT), marks=pytest.mark.endurance),
    ],
)
def test_five_hundred_with_one_worker_killed_and_one_of_another_kit(
    room: Room, tmp_path: Path, n: int, workers: tuple[str, ...]
) -> None:
    """With only one that may grade all waits until that one has been started again."""
    for i in range(n):
        room.hand_in(f"s{i:03}", f"note {tmp_path / 'begun'} score {i % 100}")
    with scheduler(tmp_path, *workers) as address:
        killer = kill_one(address, room)
        graded, heard = room.grade(scheduler=address)
        killer.join()
    assert scores(graded) == {f"s{i:03}": i % 100 for i in range(n)}
    assert problems(graded) == {}
    assert len(heard.rows) == n
    (why,) = graded.left_out.values()
    assert "another version of the kit" in why
    assert [one["why"] for one in room.journal() if one["event"] == "worker left out"] == [why]
    begun = (tmp_path / "begun").read_text().count("begun")
    assert n <= begun <= n + module.AT_ONCE, "graded twice was more than what was in hand"


def test_what_a_cluster_graded_is_not_graded_again_here(room: Room, tmp_path: Path) -> None:
    for i in range(3):
        room.hand_in(f"s{i}", f"score {i}")
    with scheduler(tmp_path, GOOD) as address:
        room.grade(scheduler=address)
    _, heard = room.grade()
    assert heard.begun == (0, 3)


def test_the_same_problems_as_here(room: Room, tmp_path: Path) -> None:
    room.hand_in("bad", "die")
    room.hand_in("good", "score 10")
    with scheduler(tmp_path, GOOD) as address:
        graded, _ = room.grade(scheduler=address)
    there = scores(graded), problems(graded)
    graded, _ = room.grade(force=True)
    assert (scores(graded), problems(graded)) == there


def test_nobody_there_has_this_kit(room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 1.0)
    for i in range(5):
        room.hand_in(f"s{i}", "score 10")
    with scheduler(tmp_path, OTHER_KIT) as address:
        graded, _ = room.grade(scheduler=address)
    assert graded.broken.startswith("no worker of the cluster can grade this. tcp://")
    assert "make them the same" in graded.broken
    assert set(scores(graded).values()) == {None}


def test_a_worker_that_cannot_isolate_is_left_out_and_alone_stops_the_run(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 1.0)
    room.hand_in("ana", "score 10")
    with (
        scheduler(tmp_path, GOOD, FAKE_JUDGE="tests.batch.bad_judges.refuses") as address,
        pytest.raises(NotIsolated, match="no bubblewrap here"),
    ):
        room.grade(scheduler=address)


def test_where_nobody_is_there_nobody_waits_for_ever(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EMPTY", 1.0)
    room.hand_in("ana", "score 10")
    with scheduler(tmp_path) as address:
        graded, _ = room.grade(scheduler=address)
    assert scores(graded) == {"ana": None}
    assert "There is none." in str(graded.rows[0].problems[-1].params)


def test_workers_that_come_later_are_taken(room: Room, tmp_path: Path) -> None:
    room.hand_in("ana", "score 10")
    started: list[subprocess.Popen[bytes]] = []
    with scheduler(tmp_path) as address:
        words = ["worker", address, "--preload", GOOD, "--nthreads", "1", "--no-dashboard",
                 "--local-directory", str(tmp_path)]  # fmt: skip
        threading.Timer(2, lambda: started.append(program(*words))).start()
        graded, _ = room.grade(scheduler=address)
        for one in started:
            one.terminate()
            one.wait(60)
    assert scores(graded) == {"ana": 10}


@pytest.mark.parametrize("address", ["host:8786", "nonsense://x:1", "tcp://"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(PoolError, match="tcp://host:8786"), cluster(address):
        pass
