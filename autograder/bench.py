"""How fast the kit grades here. Seconds depend on the machine; ratios of one run can be compared."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import wait
from dataclasses import dataclass

from autograder.assignment import Assignment
from autograder.batch.job import Answer, Job, Setting
from autograder.batch.judges import Judges
from autograder.batch.pool import cores, local
from autograder.checks.runner import run
from autograder.grading.judge import judge
from autograder.identity import kit_of
from autograder.intake import Submission
from autograder.sandbox import LocalStudent, Sandbox, reference_files

REPEAT = 3


@dataclass(frozen=True)
class Bench:
    """Wall seconds of grading the solutions once, in different ways (the quickest of three runs each)."""

    whole: float  # sandboxed, all hidden tests
    without_timing: float  # sandboxed, without the tests that measure speed
    unprotected: float  # the same tests in this process, no sandbox
    cold: float  # a new `python -m pytest exercises/` each time: what graders commonly do
    one_job: float  # seconds a submission, many submissions one after another
    all_jobs: float  # seconds a submission, one judge process per core
    jobs: int


def measure(assignment: Assignment) -> Bench:
    """Takes a minute or two. Raises NoIsolation, GraderFault."""
    submission = Submission("bench", reference_files(assignment))
    with Sandbox(assignment) as sandbox:
        judge(submission, assignment, sandbox)  # warm
        whole = _best(lambda: judge(submission, assignment, sandbox))
        without_timing = _best(lambda: judge(submission, assignment, sandbox, timing=False))
    trusted = LocalStudent(assignment)
    unprotected = _best(lambda: run(assignment, trusted, lambda: trusted, timing=False))
    cold = _best(lambda: _pytest(assignment), repeat=1)
    jobs = cores()
    one_job = _throughput(assignment, submission, 1)
    return Bench(
        whole,
        without_timing,
        unprotected,
        cold,
        one_job,
        _throughput(assignment, submission, jobs) if jobs > 1 else one_job,
        jobs,
    )


def _best(work: Callable[[], object], repeat: int = REPEAT) -> float:
    def once() -> float:
        began = time.perf_counter()
        work()
        return time.perf_counter() - began

    return min(once() for _ in range(repeat))


def _pytest(assignment: Assignment) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        assignment.content.exercises,
        "--code=solutions",
        "-q",
        "-pno:cacheprovider",
    ]
    subprocess.run(command, cwd=assignment.root, capture_output=True, check=False)


def _throughput(assignment: Assignment, submission: Submission, jobs: int) -> float:
    """Seconds a submission in a running pool (its start is not counted)."""
    setting = Setting(assignment=assignment, timing=False, hidden=kit_of({}, assignment).hashes["hidden"])
    job = Job.of(submission, setting)
    with local(jobs, Judges()) as submit:

        def batch(n: int) -> list[Answer]:
            futures = [submit(job) for _ in range(n)]
            wait(futures)
            return [f.result() for f in futures]

        batch(jobs)
        n = 5 * jobs
        began = time.perf_counter()
        batch(n)
        return (time.perf_counter() - began) / n
