"""The content is another assignment's: nothing in it is a test of the kit."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.assignment import Assignment, load_assignment

collect_ignore = ["chapter", "exercises", "solutions"]


@pytest.fixture(scope="session")
def assignment() -> Assignment:
    """The other subject."""
    return load_assignment(Path(__file__).with_name("course.toml"))
