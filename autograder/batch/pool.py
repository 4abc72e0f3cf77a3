"""Where submissions are graded: this machine's cores, or a Dask cluster. Same function, same results."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

from autograder.batch.job import Answer, Job
from autograder.batch.judges import Judges, grade, grade_anywhere


class PoolError(Exception):
    """The pool cannot be had; the text says why and what to do."""


Submit = Callable[[Job], "Future[Answer]"]


@contextlib.contextmanager
def local(jobs: int, judges: Judges) -> Iterator[Submit]:
    """`jobs` judge processes on this machine, a thread waiting for each. None of them outlives the block."""
    pool: Executor = ThreadPoolExecutor(jobs, thread_name_prefix="judge")
    try:
        yield lambda job: pool.submit(grade, job, judges)
    finally:
        judges.close()  # first: it is what the threads wait for
        pool.shutdown(wait=True, cancel_futures=True)


@contextlib.contextmanager
def cluster(address: str) -> Iterator[Submit]:
    """A Dask cluster whose workers have the kit installed. A worker that dies loses nothing: its task goes on
    elsewhere. Raises PoolError."""
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
    with client:
        pool: Executor = client.get_executor(pure=False, retries=3)
        try:
            yield lambda job: _then(pool.submit(grade_anywhere, job.line()))
        finally:
            pool.shutdown(wait=False)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _then(text: Future[str]) -> Future[Answer]:
    """The future answer of a future line."""
    answer: Future[Answer] = Future()
    answer.set_running_or_notify_cancel()

    def done(finished: Future[str]) -> None:
        if finished.cancelled():
            answer.set_result(Answer(fault="the cluster gave this submission up"))
            return
        error = finished.exception()
        if error is not None:
            answer.set_result(Answer(fault=f"the cluster: {type(error).__name__}: {error}"))
        else:
            answer.set_result(Answer.model_validate_json(finished.result()))

    text.add_done_callback(done)
    return answer
