"""Whether a class can be graded with this course at all: found out before the class, said once."""

from __future__ import annotations

from autograder import content
from autograder.assignment import Assignment
from autograder.checks.marks import check_points
from autograder.intake.stubs import check_stubs


def check_assignment(assignment: Assignment) -> None:
    """The stubs are unwritten, the points fit the hidden tests, and what the chapter itself needs is there
    (`check` in its ready.py, which may be left out).

    Raises AssignmentError, IntakeError.
    """
    check_stubs(assignment)
    check_points(assignment)
    own = content.attribute(assignment.chapter_folder, "ready", "check")
    if own is not None:
        own(assignment)
