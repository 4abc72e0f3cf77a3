"""What goes to a judge process and what comes back: one line of JSON each, so that it travels anywhere."""

from __future__ import annotations

from typing import Literal

from pydantic import Base64Bytes, BaseModel, ConfigDict

from autograder.assignment import Assignment
from autograder.intake import Submission
from autograder.results import Flag, Isolation, Problem, Source, SubmissionResult


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    def line(self) -> str:
        """As one line of JSON, without its end."""
        return self.model_dump_json()


class Setting(_Line):
    """What is the same for a whole class; the first line a judge process reads."""

    assignment: Assignment
    isolation: Literal["auto", "unsafe"] = "auto"
    timing: bool = True
    hidden: str  # hash of the code that is to grade, so that no other does


class Job(_Line):
    """One submission to be graded."""

    setting: Setting
    student: str
    files: dict[str, Base64Bytes]
    problems: list[Problem]
    flags: list[Flag]
    sources: list[Source] = []
    seconds: float = 0.0

    @classmethod
    def of(cls, submission: Submission, setting: Setting) -> Job:
        """The job that grades this submission."""
        return cls.model_construct(
            setting=setting,
            student=submission.student,
            files=dict(submission.files),
            problems=list(submission.problems),
            flags=list(submission.flags),
            sources=list(submission.sources),
            seconds=submission.seconds,
        )

    def submission(self) -> Submission:
        """The submission again, on the other side."""
        return Submission(
            self.student,
            self.files,
            tuple(self.problems),
            tuple(self.flags),
            sources=tuple(self.sources),
            seconds=self.seconds,
        )


class Ready(_Line):
    """A judge process is up: what isolates it, and which code grades."""

    isolation: Isolation
    hidden: str  # hash of hidden tests, mistakes, solutions, judge


class Answer(_Line):
    """What came of a job: exactly one of the three. elsewhere: another machine may well do it."""

    result: SubmissionResult | None = None
    fault: str | None = None  # ours: why there is no result
    refused: str | None = None  # this machine cannot isolate
    elsewhere: bool = False
