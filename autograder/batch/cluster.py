"""Grading on a Dask cluster: a few jobs a worker at a time, and only where the same kit would grade.

A worker that has another kit, or cannot isolate, is left out, and what it was given goes to the others. One that
dies loses nothing: what it had in hand goes on elsewhere.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Any

from autograder.batch.job import Answer, Job, Setting
from autograder.batch.judges import grade_anywhere
from autograder.batch.pool import PoolError
from autograder.identity import kit_of

AT_ONCE = 2  # jobs a thread of a worker: one in hand, one on its way
LOOK = 0.5  # seconds between two looks at who is there
# Seconds without anybody who can do it, after which it is given up: where others are there, and where nobody is
# (some clusters grow only when there is something to do).
PATIENCE, EMPTY = 30.0, 600.0
ABSENT = "absent"
OTHER = "it has another version of the kit, or of this course; make them the same"


@dataclass(frozen=True)
class _Task:
    """One job, and who may do it (none named: nobody was known yet)."""

    job: Job
    answer: Future[Answer]
    allowed: frozenset[str]


class Cluster:
    """`submit` jobs. left_out: address of a worker -> why it does nothing. Use as a context manager."""

    def __init__(self, client: Any) -> None:
        self.left_out: dict[str, str] = {}
        self._client = client
        self._good: set[str] = set()
        self._refused: set[str] = set()
        self._seen = time.monotonic()  # when there last was somebody who can do it
        self._waiting: deque[_Task] = deque()
        self._running: dict[Any, _Task] = {}
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._closed = False
        self._sender = threading.Thread(target=self._send_all, name="cluster", daemon=True)

    def __enter__(self) -> Cluster:
        self._sender.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._closed = True
        self._wake.set()
        self._sender.join()
        with self._lock:
            running = list(self._running)
        with contextlib.suppress(Exception):  # the cluster may be gone
            self._client.cancel(running)

    def submit(self, job: Job) -> Future[Answer]:
        """The future answer. It has no exception: what the cluster does not do is a fault in the answer."""
        answer: Future[Answer] = Future()
        answer.set_running_or_notify_cancel()
        with self._lock:
            self._waiting.append(_Task(job, answer, frozenset()))
        self._wake.set()
        return answer

    def _send_all(self) -> None:
        while not self._closed:
            self._wake.wait(LOOK)
            self._wake.clear()
            with self._lock:
                idle = not self._waiting and not self._running
            if not idle and not self._closed:
                try:
                    self._send(self._client.nthreads())
                except Exception as e:  # noqa: BLE001 - whatever a lost scheduler raises: nobody waits for ever
                    self._give_up(Answer(fault=f"the cluster: {type(e).__name__}: {e}"))

    def _send(self, threads: dict[str, int]) -> None:
        """Looks at who is there, and sends as much as they can take."""
        self._ask(threads)
        good = {address: n for address, n in threads.items() if address in self._good}
        with self._lock:
            lost = [
                f for f, task in self._running.items() if task.allowed and not task.allowed & threads.keys()
            ]
            for future in lost:  # all who might have done it are gone
                self._waiting.appendleft(self._running.pop(future))
        if lost:
            self._client.cancel(lost)
        if good:
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > (PATIENCE if threads else EMPTY):
            self._give_up(self._nobody(threads))
        if threads and not good:
            return
        room = AT_ONCE * sum(good.values()) or AT_ONCE  # without any worker: enough for a cluster to grow
        while True:
            with self._lock:
                if not self._waiting or len(self._running) >= room:
                    return
                task = self._waiting.popleft()
            self._start(_Task(task.job, task.answer, frozenset(good)))

    def _ask(self, threads: dict[str, int]) -> None:
        """Asks workers that have come since which kit they have."""
        with self._lock:
            task = next(iter([*self._waiting, *self._running.values()]), None)
        new = [address for address in threads if address not in self._good and address not in self.left_out]
        if task is None or not new:
            return
        wanted = task.job.setting.hidden
        said = self._client.run(_kit, task.job.setting.line(), workers=new, on_error="return")
        for address, kit in said.items():
            if kit == wanted:
                self._good.add(address)
            elif kit == ABSENT:
                root = task.job.setting.assignment.root
                self.left_out[address] = f"there is no {root}: the kit must lie at the same path everywhere"
            elif isinstance(kit, str):
                self.left_out[address] = OTHER
            elif isinstance(kit, ImportError):
                self.left_out[address] = f"the kit is not installed there ({kit})"
            elif address in self._client.nthreads():
                self.left_out[address] = f"{type(kit).__name__}: {kit}"

    def _start(self, task: _Task) -> None:
        future = self._client.submit(
            grade_anywhere, task.job.line(), pure=False, retries=3, workers=sorted(task.allowed) or None
        )
        with self._lock:
            self._running[future] = task
        future.add_done_callback(self._done)

    def _done(self, future: Any) -> None:
        with self._lock:
            task = self._running.pop(future, None)
        if task is None:  # sent again meanwhile
            return
        worker = ""
        try:
            worker, _, line = future.result().partition("\n")
            answer = Answer.model_validate_json(line)
        except CancelledError:
            answer = Answer(fault="the cluster gave this submission up")
        except Exception as e:  # noqa: BLE001 - of the cluster, or of what it ran: nobody waits for ever
            answer = Answer(fault=f"the cluster: {type(e).__name__}: {e}")
        if answer.elsewhere:
            self._good.discard(worker)
            self.left_out[worker] = answer.refused or answer.fault or ""
            self._refused |= {worker} if answer.refused else set()
            with self._lock:
                self._waiting.appendleft(task)
        else:
            task.answer.set_result(answer)
        self._wake.set()

    def _nobody(self, threads: dict[str, int]) -> Answer:
        """What to say where all workers that are there are left out."""
        why = "; ".join(f"{address}: {self.left_out.get(address, 'gives no answer')}" for address in threads)
        said = f"no worker of the cluster can grade this. {why or 'There is none.'}"
        return Answer(refused=said) if threads and threads.keys() <= self._refused else Answer(fault=said)

    def _give_up(self, answer: Answer) -> None:
        """The same answer for all jobs."""
        with self._lock:
            tasks = [*self._waiting, *self._running.values()]
            self._waiting.clear()
            self._running.clear()
        for task in tasks:
            task.answer.set_result(answer)


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Cluster]:
    """The cluster whose scheduler listens there. Raises PoolError."""
    try:
        from distributed import Client
    except ImportError:
        raise PoolError("--scheduler needs Dask. Install it: pip install distributed") from None
    if not re.fullmatch(r"(tcp|tls|ws|wss)://[^\s/]+:\d+", address):
        raise PoolError(f"--scheduler {address}: give it as tcp://host:8786")
    try:
        make: Any = Client
        client = make(address, timeout=15, set_as_default=False)
    except (OSError, ValueError) as e:
        raise PoolError(f"{address}: no Dask scheduler answers there ({e}). Is it running?") from None
    with client, Cluster(client) as found:
        yield found


def _kit(setting: str) -> str:
    """On a worker: the hash of the code and the content that would grade there, or ABSENT."""
    assignment = Setting.model_validate_json(setting).assignment
    if not assignment.chapter_folder.is_dir():
        return ABSENT
    return kit_of({}, assignment).hashes["hidden"]
