"""Each student's page as soon as there is a result, while the others are still being graded."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self

from autograder.assignment import Assignment
from autograder.batch.run import Listener
from autograder.commands.forwarding import ForwardingListener
from autograder.course import Language
from autograder.gradebook.grades import ClassFiles
from autograder.results import SubmissionResult


class Pages(ForwardingListener):
    """`done_for` are those whose page is written, `plain` those of them whose page cannot say everything.

    A page that cannot be written does not stop the class: it is left for the end, where it can be said.
    """

    def __init__(self, listener: Listener, assignment: Assignment, lang: Language, files: ClassFiles) -> None:
        super().__init__(listener)
        self.assignment, self.lang, self.files = assignment, lang, files
        self.done_for: set[str] = set()
        self.plain: set[str] = set()
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="pages")

    def written(self, result: SubmissionResult, folder: Path, replaced: SubmissionResult | None) -> None:
        """See Listener."""
        self._writer.submit(self._page, result, folder)
        super().written(result, folder, replaced)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.shutdown(wait=True)

    def _page(self, result: SubmissionResult, folder: Path) -> None:
        from autograder.feedback import render_student

        grade = self.files.grade(result.student, result, self.assignment)
        if not render_student(result, folder, self.assignment, self.lang, grade):
            self.plain.add(result.student)
        self.done_for.add(result.student)
