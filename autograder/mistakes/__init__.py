"""Known mistakes: their catalogue, and which of them a submission shows."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import JsonValue

from autograder.course import Course
from autograder.results import Message
from autograder.sandbox.api import Student

__all__ = ["Diagnosis", "diagnose"]


@dataclass(frozen=True)
class Diagnosis:
    """What can be said of one failing exercise."""

    mistakes: list[str] = field(default_factory=list)  # none: not one we know; several: indistinguishable
    message: Message | None = None  # what can be said for certain when none matches
    shown: dict[str, JsonValue] = field(default_factory=dict)  # on a public input, for the page
    fingerprint: str | None = None


def diagnose(student: Student, exercise: str, course: Course) -> Diagnosis:
    """Which known mistakes the student's code shows in that exercise."""
    return Diagnosis()
