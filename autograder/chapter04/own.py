"""This chapter's own assignment, for what compares with the solutions."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from autograder.assignment import load_assignment
from autograder.sandbox import LocalStudent


@cache
def solution() -> LocalStudent:
    """The solutions, in this process."""
    return LocalStudent(load_assignment(Path(__file__).resolve().parents[2] / "course.toml"))
