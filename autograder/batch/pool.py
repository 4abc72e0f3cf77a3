"""Grading on this machine: some judge processes, and a thread that waits for each."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor

from autograder.batch.job import Answer, Job
from autograder.batch.judges import Judges, grade


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


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
