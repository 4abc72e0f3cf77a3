"""Fixtures for authors who run these files with plain `pytest`: the solutions answer.

A submission is judged by runner.py, which gives fixtures of the same names.
"""

from __future__ import annotations

import pytest

from autograder.assignment import Assignment, load_assignment
from autograder.checks.check import Check
from autograder.checks.inputs import SeededInputs
from autograder.sandbox.api import Student


def pytest_configure(config: pytest.Config) -> None:
    """Declares the mark that `@points` makes."""
    config.addinivalue_line("markers", "hidden(points, exercise, concept, timing, side): a hidden test")


@pytest.fixture
def assignment() -> Assignment:
    """The kit's course.toml."""
    return load_assignment()


@pytest.fixture
def student() -> Student:
    """The solutions, in the place of a submission."""
    return _solutions()


@pytest.fixture
def reference() -> Student:
    """The solutions."""
    return _solutions()


@pytest.fixture
def draw(request: pytest.FixtureRequest, assignment: Assignment) -> SeededInputs:
    """This test's secret inputs: the same as when a submission is judged."""
    sheet, name = request.path.stem.removeprefix("test_"), request.node.name.removeprefix("test_")
    return SeededInputs(assignment.course.seed, f"{sheet}/{name}")


@pytest.fixture
def check(assignment: Assignment) -> Check:
    """Checks with the course's tolerance."""
    return Check(assignment.tolerance)


def _solutions() -> Student:
    from autograder.sandbox import LocalStudent

    return LocalStudent(load_assignment())
