"""autograder grade --nbgrader COURSE: what the grade command needs to know of an nbgrader course."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.batch.rows import Row
from autograder.batch.run import Listener
from autograder.course import Course, Language
from autograder.results import SubmissionResult

if TYPE_CHECKING:
    from autograder.notebooks.bridge import Bridge


def open_course(root: Path, assignment: str, course: Course, lang: Language) -> Bridge:
    """Raises CourseFolderError."""
    from autograder.notebooks.bridge import Bridge
    from autograder.notebooks.course_folder import CourseFolder

    return Bridge(CourseFolder(root), assignment, course, lang)


@dataclass
class Watching:
    """A listener that also stops a run whose grades would have nowhere to go. Raises CourseFolderError."""

    listener: Listener
    bridge: Bridge

    def begins(self, todo: int, kept: int, others: Sequence[str]) -> None:
        """See Listener."""
        self.listener.begins(todo, kept, others)

    def waits(self) -> None:
        """See Listener."""
        self.bridge.check_so_far()
        self.listener.waits()

    def written(self, result: SubmissionResult, folder: Path) -> None:
        """See Listener."""
        self.listener.written(result, folder)

    def done(self, row: Row) -> None:
        """See Listener."""
        self.listener.done(row)


def results_of(root: Path, assignment: str) -> Path:
    """Where the kit's own results of an nbgrader course go, unless --out says otherwise."""
    return root / "sandbox" / assignment
