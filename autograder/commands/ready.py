"""Whether a class can be graded with this course at all: found out before the class, said once."""

from __future__ import annotations

from autograder.course import Course, CourseError
from autograder.hidden.marks import check_points
from autograder.hidden.usable import reason
from autograder.intake.stubs import check_stubs


def check_course(course: Course) -> None:
    """The stubs are unwritten, the points fit the hidden tests, the GPT-2 can be graded with.

    Raises CourseError, IntakeError.
    """
    check_stubs(course)
    check_points(course)
    if why := reason(course):
        raise CourseError(
            f'the GPT-2 that course.toml names cannot be had (gpt2 = "{course.course.gpt2}"). {why}\n'
            'In course.toml, gpt2 = "mini" takes the one that comes with the kit.'
        )
