"""One row of the class: a submission, the grade it has now, and what a person must know about it."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.batch.job import Setting
from autograder.identity import kit_of
from autograder.intake import Submission
from autograder.results import Isolation, Message, Problem, SubmissionResult, TestResult, Verdict
from autograder.store import faults

WAITING = "grader.waiting"


@dataclass(frozen=True)
class Row:
    """`result` is what counts now (None: never graded); `problems` say why that may not be the last word."""

    student: str
    result: SubmissionResult | None
    problems: tuple[Problem, ...] = ()
    fresh: bool = False  # graded in this run

    @property
    def graded(self) -> bool:
        """Whether there is a grade."""
        return self.result is not None and self.result.graded

    @property
    def waiting(self) -> bool:
        """Whether the run was stopped before its turn, or was for others only."""
        return any(p.id == WAITING for p in self.problems)

    @property
    def in_order(self) -> bool:
        """Whether all of it was graded and nobody needs to look."""
        return self.graded and all(p.nothing_handed_in for p in self.problems)


def can_be_judged(submission: Submission) -> bool:
    """Whether there is something to judge; an empty folder is: as exercises that are not written."""
    return bool(submission.files) or all(p.nothing_handed_in for p in submission.problems)


def is_current(old: SubmissionResult, submission: Submission, setting: Setting) -> bool:
    """Whether an earlier result is what grading again would give."""
    if old.kit != kit_of(submission.files, setting.assignment, timing=setting.timing):
        return False
    if old.problems != list(submission.problems) or old.sources != list(submission.sources):
        return False
    if any(f not in old.flags for f in submission.flags):
        return False
    if not can_be_judged(submission):
        return True
    if old.isolation == "none" and setting.isolation != "unsafe":  # could have been tampered with
        return False
    return old.graded and not faults(old)


def not_read(submission: Submission, setting: Setting, level: Isolation) -> SubmissionResult:
    """The result of a submission of which nothing could be read: no tests, only reasons."""
    return SubmissionResult(
        student=submission.student,
        score=0.0,
        isolation=level,
        kit=kit_of(submission.files, setting.assignment, timing=setting.timing),
        sources=list(submission.sources),
        tests=[],
        flags=list(submission.flags),
        problems=list(submission.problems),
    )


def not_judged(submission: Submission, setting: Setting, why: str, level: Isolation) -> SubmissionResult:
    """The result of a submission that we failed to judge: a grader fault everywhere, no point taken off."""
    message = Message(id="grader_fault", params={"detail": why})
    tests = [
        TestResult(
            id=f"{e.sheet}/{e.id}",
            exercise=e.id,
            concept=e.title["en"],
            verdict=Verdict.GRADER_FAULT,
            points=e.points,
            max_points=e.points,
            message=message,
        )
        for e in setting.assignment.exercises
    ]
    return not_read(submission, setting, level).model_copy(
        update={
            "tests": tests,
            "score": sum(t.points for t in tests),
            "problems": [*submission.problems, Problem(id="grader.died", params={"why": why})],
        }
    )


def row_of(student: str, old: SubmissionResult | None, new: SubmissionResult | None) -> Row:
    """Which result counts: the new one, unless it has no grade or our faults, and the old one was whole."""
    if new is None:
        return Row(student, old, (Problem(id=WAITING),))
    if old is not None and old.graded and not faults(old) and (faults(new) or not new.graded):
        why = [p for p in new.problems if p not in old.problems]
        if faults(new) and new.graded:
            why.append(Problem(id="grader.faults", params={"n": faults(new)}))
        return Row(student, old, (*why, Problem(id="grader.kept")), fresh=True)
    problems = list(new.problems)
    if faults(new) and new.graded:
        problems.append(Problem(id="grader.faults", params={"n": faults(new)}))
    return Row(student, new, tuple(problems), fresh=True)
