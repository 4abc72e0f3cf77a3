"""The runner of the hidden tests: finds them once a process, then calls them as functions.

The files are ordinary pytest files, and their authors run them as such, with plain `pytest`.
What pytest would do around each test costs ten times the test, so a submission is judged without it.
Only plain test functions with the fixtures of `FIXTURES` are supported; any other feature of pytest is
refused by name when the tests are collected.
"""

from __future__ import annotations

import contextlib
import inspect
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

from autograder import content
from autograder.assignment import Assignment
from autograder.checks.check import Check, Wrong
from autograder.checks.inputs import SeededInputs
from autograder.checks.outcome import Outcome
from autograder.sandbox.api import Student
from autograder.sandbox.errors import GraderFault

FIXTURES = ("student", "reference", "assignment", "draw", "check")
_MARK = "hidden"
_SETUP = {f"{do}_{of}" for do in ("setup", "teardown") for of in ("module", "function", "class", "method")}


class Unsupported(Exception):
    """A file of hidden tests uses what this runner does not do; the text says where, what, and what to do."""


@dataclass(frozen=True)
class HiddenTest:
    """One hidden test. `id`: "norm/shape"; `mark`: what `@points` says of it; `wants`: fixtures."""

    id: str
    function: Callable[..., None]
    mark: Mapping[str, Any]
    wants: tuple[str, ...]

    @property
    def sheet(self) -> str:
        """The first part of its id."""
        return self.id.partition("/")[0]


def hidden_tests(assignment: Assignment) -> dict[str, HiddenTest]:
    """id -> test, in the order of the course's exercises. Raises Unsupported."""
    order = [e.id for e in assignment.exercises]
    found = [
        test
        for sheet in dict.fromkeys(e.sheet for e in assignment.exercises)
        for test in _of(assignment, sheet)
    ]
    for test in found:
        if test.mark["exercise"] not in order:
            name = test.mark["exercise"]
            raise Unsupported(f"{test.id}: course.toml has no exercise {name!r}; correct the test's mark")
    return {test.id: test for test in sorted(found, key=lambda test: order.index(test.mark["exercise"]))}


@cache
def _of(assignment: Assignment, sheet: str) -> tuple[HiddenTest, ...]:
    module = content.module(assignment.chapter_folder, f"hidden.test_{sheet}")
    return tuple(collected(module, sheet))


def collected(module: ModuleType, sheet: str) -> list[HiddenTest]:
    """All tests that a file defines. Raises Unsupported."""
    found = []
    for name, value in vars(module).items():
        if getattr(value, "__module__", module.__name__) != module.__name__:
            continue  # imported
        where = f"{module.__name__}.{name}"
        if name in _SETUP:
            raise Unsupported(f"{where}: set-up functions are not run; do it in the test")
        if inspect.isclass(value) and name.startswith("Test"):
            raise Unsupported(f"{where}: classes of tests are not run; write test functions")
        if type(value).__name__ == "FixtureFunctionDefinition":
            raise Unsupported(f"{where}: fixtures of one's own are not run; call a function in the test")
        if name.startswith("test_") and inspect.isfunction(value):
            found.append(_test(where, f"{sheet}/{name.removeprefix('test_')}", value))
    return found


def _test(where: str, id: str, function: Callable[..., None]) -> HiddenTest:
    marks = list(getattr(function, "pytestmark", ()))
    others = sorted({mark.name for mark in marks if mark.name != _MARK})
    if others:
        raise Unsupported(f"{where}: the mark {others[0]!r} is not supported; write a loop, or another test")
    if len(marks) != 1:
        raise Unsupported(f"{where}: it needs one @points(…) mark, and has {len(marks)}")
    wants = tuple(inspect.signature(function).parameters)
    for name in wants:
        if name not in FIXTURES:
            raise Unsupported(f"{where}: no fixture {name!r}; there are {', '.join(FIXTURES)}")
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        raise Unsupported(f"{where}: coroutines and generators are not run; write a plain function")
    return HiddenTest(id, function, dict(marks[0].kwargs), wants)


def run(
    assignment: Assignment,
    student: Student,
    reference: Callable[[], Student],
    *,
    only: Collection[str] | None = None,
    timing: bool = True,
) -> list[Outcome]:
    """Runs the hidden tests (only those ids, if given) over one submission.

    reference: gives the solutions, in a process of their own; called when a test asks for them.
    Every sheet begins in a new life of the submission, so what one did to Python does not reach the next.
    Raises GraderFault.
    """
    outcomes: list[Outcome] = []
    sheet = ""
    for test in hidden_tests(assignment).values():
        if (only is not None and test.id not in only) or (test.mark["timing"] and not timing):
            continue
        if test.sheet != sheet:
            sheet = test.sheet
            student.fresh()
        outcomes.append(outcome_of(test, assignment, student, reference))
    return outcomes


def outcome_of(
    test: HiddenTest, assignment: Assignment, student: Student, reference: Callable[[], Student]
) -> Outcome:
    """One hidden test over one submission."""
    make: Mapping[str, Callable[[], object]] = {
        "student": lambda: student,
        "reference": reference,
        "assignment": lambda: assignment,
        "draw": lambda: SeededInputs(assignment.course.seed, test.id),
        "check": lambda: Check(assignment.tolerance),
    }
    ended: Exception | None = None
    cpu, began = _cpu(student), time.perf_counter()
    try:
        test.function(**{name: make[name]() for name in test.wants})
    except Exception as error:
        ended = error
    return Outcome.of(
        test.id,
        test.mark,
        ended,
        assignment,
        fingerprint=ended.fingerprint if isinstance(ended, Wrong) else None,
        seconds=time.perf_counter() - began,
        cpu_seconds=max(0.0, _cpu(student) - cpu),
    )


def _cpu(student: Student) -> float:
    """CPU seconds of the submission so far; 0 where no clock can be read (only a figure for people)."""
    with contextlib.suppress(GraderFault):
        return student.cpu_seconds()
    return 0.0
