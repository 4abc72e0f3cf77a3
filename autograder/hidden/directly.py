"""The hidden tests called as functions in this process: without pytest they cost a tenth.

Only for code of this repository; tests/hidden/test_sandboxed.py makes sure that the real judge says the same.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from autograder.course import Course
from autograder.hidden.draw import Draw
from autograder.hidden.kit import Check
from autograder.hidden.outcome import Outcome
from autograder.sandbox import LocalStudent
from autograder.sandbox.api import Student

Test = tuple[Callable[..., None], Mapping[str, Any]]


def hidden_tests(course: Course) -> dict[str, Test]:
    """id -> (function, what @points says of it), in the chapter's order."""
    found = {id: test for sheet in {e.sheet: 0 for e in course.exercises} for id, test in _of(sheet).items()}
    order = [e.id for e in course.exercises]
    return dict(sorted(found.items(), key=lambda item: order.index(item[1][1]["exercise"])))


@cache
def _of(sheet: str) -> dict[str, Test]:
    found: dict[str, Test] = {}
    for name, function in vars(import_module(f"autograder.hidden.test_{sheet}")).items():
        for mark in getattr(function, "pytestmark", ()):
            if mark.name == "hidden":
                found[f"{sheet}/{name.removeprefix('test_')}"] = (function, dict(mark.kwargs))
    return found


def run_directly(
    course: Course, student: Student, *, only: Collection[str] | None = None, timing: bool = True
) -> list[Outcome]:
    """As plugin.run, but all in one life of the student. Raises GraderFault."""
    fixtures = {
        "student": student,
        "reference": LocalStudent("solutions"),
        "course": course,
        "check": Check(course.tolerance),
    }
    return [
        outcome_of(id, test, course, fixtures)
        for id, test in hidden_tests(course).items()
        if (only is None or id in only) and (timing or not test[1]["timing"])
    ]


def outcome_of(id: str, test: Test, course: Course, fixtures: Mapping[str, object]) -> Outcome:
    """One hidden test. It gets its own secret inputs, `draw`, and of the fixtures what it asks for."""
    function, mark = test
    every = {**fixtures, "draw": Draw(course.course.seed, id)}
    ended: Exception | None = None
    try:
        function(**{name: every[name] for name in inspect.signature(function).parameters})
    except Exception as error:
        ended = error
    return Outcome.of(id, mark, ended, course)
