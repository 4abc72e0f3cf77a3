"""A Dask cluster gives the same results as this machine, also when one of its workers is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from autograder.batch.pool import PoolError, cluster
from tests.batch.helpers import Room, problems, scores

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def two_workers() -> Iterator[object]:
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=None,
        silence_logs=50,
        preload=["tests.batch.preload"],
    ) as workers:
        yield workers


def test_same_results_as_here_with_one_worker_killed(room: Room, two_workers: object) -> None:
    for i in range(8):
        room.hand_in(f"s{i}", f"sleep 0.5 score {i * 10}")
    room.hand_in("bad", "die")
    address: str = two_workers.scheduler_address  # type: ignore[attr-defined]

    def kill_one() -> None:
        with distributed.Client(address) as client:
            while not any(client.processing().values()):
                time.sleep(0.05)
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    graded, _ = room.grade(scheduler=address)
    killer.join()
    there = scores(graded), problems(graded)
    graded, heard = room.grade(force=True)
    assert heard.begun == (9, 0)
    assert (scores(graded), problems(graded)) == there
    assert scores(graded) == {"bad": None} | {f"s{i}": i * 10 for i in range(8)}


@pytest.mark.parametrize("address", ["host:8786", "nonsense://x:1", "tcp://"])
def test_what_is_no_address(address: str) -> None:
    with pytest.raises(PoolError, match="tcp://host:8786"), cluster(address):
        pass
