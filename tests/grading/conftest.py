"""Submissions through the real thing: judge processes of their own, student code in the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future

import pytest

from autograder.assignment import Assignment, load_assignment
from autograder.batch.job import Answer, Job, Setting
from autograder.batch.judges import Judges
from autograder.batch.pool import local
from autograder.identity import kit_of
from autograder.intake import Submission
from autograder.results import SubmissionResult
from autograder.sandbox import Sandbox, reference_files

Grade = Callable[..., SubmissionResult]
Hand = Callable[..., "Future[Answer]"]


def hurried(assignment: Assignment) -> Assignment:
    """The course with limits that a test can wait for."""
    limits = assignment.limits.model_copy(
        update={
            "call_cpu_seconds": 0.7,
            "call_wall_seconds": 3.0,
            "submission_cpu_seconds": 5.0,
            "submission_wall_seconds": 8.0,
            "memory_mb": 160,
        }
    )
    return assignment.model_copy(update={"limits": limits})


@pytest.fixture(scope="session")
def hand_in() -> Iterator[Hand]:
    """hand_in(files, timing=False, course=None, name="ada"): the future of an Answer; two are graded at a
    time."""
    hidden = kit_of({}, load_assignment()).hashes["hidden"]
    with local(2, Judges()) as submit:

        def hand(
            files: Mapping[str, bytes],
            *,
            timing: bool = False,
            assignment: Assignment | None = None,
            name: str = "ada",
        ) -> Future[Answer]:
            setting = Setting(assignment=assignment or load_assignment(), timing=timing, hidden=hidden)
            return submit(Job.of(Submission(name, files), setting))

        yield hand


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """For a judge in this process."""
    with Sandbox(load_assignment()) as one:
        yield one


@pytest.fixture(scope="session")
def grade(hand_in: Hand) -> Grade:
    """The same, waited for."""

    def one(files: Mapping[str, bytes], **options: object) -> SubmissionResult:
        answer = hand_in(files, **options).result(timeout=300)
        assert answer.result is not None, answer
        return answer.result

    return one


@pytest.fixture
def solved() -> dict[str, bytes]:
    """A submission in which everything is right."""
    return dict(reference_files(load_assignment()))


def lost(result: SubmissionResult) -> dict[str, float]:
    """exercise -> points lost."""
    out: dict[str, float] = {}
    for t in result.tests:
        if t.points < t.max_points:
            out[t.exercise] = out.get(t.exercise, 0.0) + t.max_points - t.points
    return out
