"""Fixtures of the hidden tests. Without a judge (plain `pytest autograder/hidden`) the solutions answer."""

from __future__ import annotations

from typing import cast

import pytest

from autograder.course import Course, load_course
from autograder.hidden.draw import Draw
from autograder.hidden.kit import Check
from autograder.hidden.plugin import HiddenTests, test_id
from autograder.sandbox.api import Student


def pytest_configure(config: pytest.Config) -> None:
    """Declares the mark for plain runs."""
    config.addinivalue_line("markers", "hidden(points, exercise, concept, timing): a hidden test")


def _judge(request: pytest.FixtureRequest) -> HiddenTests | None:
    return cast("HiddenTests | None", request.config.pluginmanager.get_plugin("hidden-tests"))


@pytest.fixture
def course(request: pytest.FixtureRequest) -> Course:
    """course.toml of this grading."""
    judge = _judge(request)
    return judge.course if judge else load_course()


@pytest.fixture
def student(request: pytest.FixtureRequest) -> Student:
    """The submission."""
    judge = _judge(request)
    return judge.student if judge else _solutions()


@pytest.fixture
def reference(request: pytest.FixtureRequest) -> Student:
    """The solutions, never in the submission's process."""
    judge = _judge(request)
    return judge.reference() if judge else _solutions()


@pytest.fixture
def draw(request: pytest.FixtureRequest, course: Course) -> Draw:
    """This test's secret inputs."""
    return Draw(course.course.seed, test_id(request.node))


@pytest.fixture
def check(course: Course) -> Check:
    """Checks with the course's tolerance."""
    return Check(course.tolerance)


def _solutions() -> Student:
    from autograder.sandbox import LocalStudent

    return LocalStudent("solutions")
