"""The runner over code of this repository, in this process: no sandbox."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from autograder.assignment import Assignment
from autograder.checks import runner
from autograder.checks.outcome import Outcome
from autograder.sandbox import LocalStudent
from autograder.sandbox.api import Student

Test = tuple[Callable[..., None], Mapping[str, Any]]


def hidden_tests(assignment: Assignment) -> dict[str, Test]:
    """id -> (function, what @points says of it), in the chapter's order."""
    return {id: (test.function, test.mark) for id, test in runner.hidden_tests(assignment).items()}


def run_directly(
    assignment: Assignment, student: Student, *, only: Collection[str] | None = None, timing: bool = True
) -> list[Outcome]:
    """As runner.run, with the solutions as reference. Raises GraderFault."""
    return runner.run(assignment, student, lambda: LocalStudent(assignment), only=only, timing=timing)
