"""autograder grade --nbgrader COURSE: what the grade command needs to know of an nbgrader course."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from autograder.assignment import Assignment
from autograder.batch.run import Listener
from autograder.commands.forwarding import ForwardingListener
from autograder.course import Language

if TYPE_CHECKING:
    from autograder.nbgrader.bridge import Bridge


def open_course(root: Path, name: str, assignment: Assignment, lang: Language) -> Bridge:
    """Raises CourseFolderError."""
    from autograder.nbgrader.bridge import Bridge
    from autograder.nbgrader.course_folder import CourseFolder

    return Bridge(CourseFolder(root), name, assignment, lang)


class NbgraderListener(ForwardingListener):
    """Also stops a run whose grades would have nowhere to go. Raises CourseFolderError."""

    def __init__(self, listener: Listener, bridge: Bridge) -> None:
        super().__init__(listener)
        self.bridge = bridge

    def waits(self) -> None:
        """See Listener."""
        self.bridge.check_so_far()
        super().waits()


def results_of(root: Path, name: str) -> Path:
    """Where the kit's own results of an nbgrader course go, unless --out says otherwise."""
    return root / "sandbox" / name
