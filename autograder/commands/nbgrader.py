"""autograder grade --nbgrader COURSE: what the grade command needs to know of an nbgrader course."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course import Course, Language

if TYPE_CHECKING:
    from autograder.notebooks.bridge import Bridge


def open_course(root: Path, assignment: str, course: Course, lang: Language) -> Bridge:
    """Raises CourseFolderError. (nbgrader is imported only here: it takes a second.)"""
    from autograder.notebooks.bridge import Bridge
    from autograder.notebooks.course_folder import CourseFolder

    return Bridge(CourseFolder(root), assignment, course, lang)


def results_of(root: Path, assignment: str) -> Path:
    """Where the kit's own results of an nbgrader course go, unless --out says otherwise."""
    return root / "sandbox" / assignment
