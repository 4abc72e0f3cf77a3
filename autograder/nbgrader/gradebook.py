"""Results -> nbgrader's gradebook, through its own API. What a person has set there stays."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

import nbformat
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy.exc import SAWarning, SQLAlchemyError

from autograder.assignment import Assignment
from autograder.nbgrader.course_folder import CourseFolder, remedy
from autograder.nbgrader.errors import CourseFolderError
from autograder.results import SubmissionResult, Verdict


class Said(NamedTuple):
    """penalty: points that nbgrader takes off for late work; points: exercise -> what a person has given."""

    penalty: float
    points: dict[str, float]


class Book:
    """The gradebook of one assignment. Use as a context manager. Raises CourseFolderError."""

    def __init__(self, folder: CourseFolder, assignment: str, course: Assignment) -> None:
        self._folder, self._assignment, self._course = folder, assignment, course
        self._notebook = course.content.notebook

    def __enter__(self) -> Book:
        url = self._folder.db_url
        self._folder.check_gradebook(self._assignment)
        try:
            self._book = Gradebook(url, self._folder.course_id)
            self._check()
        except SQLAlchemyError as e:
            raise CourseFolderError(f"{url}: the gradebook cannot be opened: {e}") from None
        return self

    def __exit__(self, *exc: object) -> None:
        self._book.close()

    def _check(self) -> None:
        """The notebook in the gradebook must be the one that this kit builds."""
        try:
            notebook = self._book.find_notebook(self._notebook, self._assignment)
        except MissingEntry:
            self._book.close()
            raise CourseFolderError(
                f"the gradebook has no assignment {self._assignment!r} with a notebook "
                f"{self._notebook!r}; {remedy(self._assignment)}"
            ) from None
        points = {cell.name: cell.max_score for cell in notebook.grade_cells}
        for exercise in self._course.exercises:
            if points.get(f"test-{exercise.id}") != exercise.points:
                self._book.close()
                says = points.get(f"test-{exercise.id}", "nothing")
                raise CourseFolderError(
                    f"{exercise.id} is worth {exercise.points:g} points in course.toml, but "
                    f"the gradebook says {says}; {remedy(self._assignment)}"
                )

    def cells(self) -> list[Any]:
        """nbgrader's source cells of the notebook, in no order that means anything."""
        return list(self._book.find_notebook(self._notebook, self._assignment).source_cells)

    def late_seconds(self, student: str, handed_in: datetime | None) -> float | None:
        """How late a submission is, extensions counted; None when the time or the deadline is not known."""
        self._book.update_or_create_student(student)
        times = {} if handed_in is None else {"timestamp": handed_in}
        with warnings.catch_warnings():
            # nbgrader's own way with SQLAlchemy, which nobody who grades can do anything about
            warnings.simplefilter("ignore", SAWarning)
            submission = self._book.update_or_create_submission(self._assignment, student, **times)
        if submission.timestamp is None or submission.assignment.duedate is None:
            return None
        return float(submission.total_seconds_late)

    def write(self, student: str, result: SubmissionResult, comments: Mapping[str, str]) -> Said:
        """Scores and comments of one student; gives what nbgrader and people there say.

        comments: solution cell -> what to say ("" for nothing).

        Without a grade there is no score either, and a person is asked for one.
        """
        given: dict[str, float] = {}
        for exercise in self._course.exercises:
            grade = self._book.find_grade(f"test-{exercise.id}", self._notebook, self._assignment, student)
            points = round(result.points_of(exercise.id), 4) if result.graded else None
            changed = grade.auto_score != points
            grade.auto_score = points
            if grade.manual_score is None:
                grade.needs_manual_grade = undecided(result, exercise.id)
            elif changed:  # a person's grade stays, and that person should look again
                grade.needs_manual_grade = True
            if grade.manual_score is not None or grade.extra_credit:
                earned = points if grade.manual_score is None else grade.manual_score
                given[exercise.id] = float((earned or 0.0) + (grade.extra_credit or 0.0))
        for cell, text in comments.items():
            comment = self._book.find_comment(cell, self._notebook, self._assignment, student)
            comment.auto_comment = text or None
        self._book.db.commit()
        submission = self._book.find_submission(self._assignment, student)
        if submission.total_seconds_late > 0 or submission.late_submission_penalty:
            self._late(student)
            self._book.db.expire_all()  # nbgrader has written it by another connection
            submission = self._book.find_submission(self._assignment, student)
        return Said(float(submission.late_submission_penalty or 0.0), given)

    def _late(self, student: str) -> None:
        """The penalty for being late, by the rule that the course's configuration names."""
        resources = {
            "nbgrader": {
                "notebook": self._notebook,
                "assignment": self._assignment,
                "student": student,
                "db_url": self._folder.db_url,
            }
        }
        AssignLatePenalties(config=self._folder.config).preprocess(nbformat.v4.new_notebook(), resources)


def undecided(result: SubmissionResult, exercise: str) -> bool:
    """Whether a person must decide: nothing could be judged, a measurement failed, or the kit did."""
    tests = [t for t in result.tests if t.exercise == exercise]
    return not tests or any(t.verdict in (Verdict.NOT_MEASURED, Verdict.GRADER_FAULT) for t in tests)
