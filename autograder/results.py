"""What came of grading, as pure data. Everything else may import this; it imports nothing of ours.

A `SubmissionResult` is written once as `result.json` and never changed; pages, grades and policies are
functions of it. It holds message ids and parameters, not sentences, so that pages can be rendered again
in any language. Raises `pydantic.ValidationError` where a file does not have this form.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue

SCHEMA_VERSION: Final = 1


class Verdict(StrEnum):
    """What one hidden test says."""

    PASSED = "passed"
    FAILED = "failed"  # a value, shape, dtype … was wrong, or the exercise is not written
    ERROR = "error"  # the student's code raised, died or broke the protocol
    TIMEOUT = "timeout"
    SKIPPED = "skipped"  # something before it is wrong; the message says what
    NOT_MEASURED = "not_measured"  # a measurement that disagreed with itself: for a person to decide
    GRADER_FAULT = "grader_fault"  # ours: never costs a student points

    @property
    def earns(self) -> bool:
        """Whether the points are given: a doubt of ours is never the student's loss."""
        return self in (Verdict.PASSED, Verdict.NOT_MEASURED, Verdict.GRADER_FAULT)


class Data(BaseModel):
    """Base of all result data: frozen, and a misspelt key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Message(Data):
    """A sentence by its id (see feedback/messages/) and named parameters."""

    id: str
    params: dict[str, JsonValue] = Field(default_factory=dict)


class TestResult(Data):
    """One hidden test of one submission."""

    __test__ = False  # not a pytest class

    id: str  # "norm/each_row_by_itself": sheet/name
    exercise: str  # id in course.toml
    concept: str  # "each row is normalised by itself"
    verdict: Verdict
    points: float
    max_points: float
    mistakes: list[str] = Field(default_factory=list)  # several: indistinguishable from each other
    follow_through: bool = False  # points given with the reference in an earlier exercise's place
    follow_through_of: list[str] = Field(default_factory=list)  # the earlier exercises concerned
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    message: Message | None = None
    # What pages show of it: public inputs, expected and received values, pictures' numbers. Never hidden
    # inputs.
    shown: dict[str, JsonValue] = Field(default_factory=dict)
    # Same wrong output, same fingerprint: for the class page's clusters.
    fingerprint: str | None = None


class Flag(Data):
    """Something a person should look at; never changes a score."""

    id: str  # "not_allowed", "not_measured", "attack", …
    params: dict[str, JsonValue] = Field(default_factory=dict)


class Problem(Data):
    """Why (a part of) a submission could not be read or graded."""

    id: str
    params: dict[str, JsonValue] = Field(default_factory=dict)

    @property
    def nothing_handed_in(self) -> bool:
        """Whether it only says that nothing was handed in: unwritten work, which needs nobody's attention."""
        return self.id.removeprefix("problem.") in ("folder.empty", "nothing_handed_in")


class Source(Data):
    """Where the work on one symbol of an exercise was found."""

    symbol: str
    file: str  # its path in the submission
    cell: int | None = None  # of a notebook, from 1
    expected: bool = True  # whether it has the name and the place in which it is expected
    others: list[str] = Field(default_factory=list)  # files with other work on it, which was not graded
    shape: str = ""  # "<nodes>:<hash>" of it without names: the same for two that only names tell apart


class Kit(Data):
    """What graded it: the same kit and the same bytes give the same grade."""

    version: str
    packages: dict[str, str] = Field(default_factory=dict)  # torch, transformers, python
    hashes: dict[str, str] = Field(default_factory=dict)  # submission, seed, hidden, course, model


Isolation = Literal["strong", "no-namespaces", "none"]


class SubmissionResult(Data):
    """Everything about one graded submission; `result.json`."""

    schema_version: Literal[1] = SCHEMA_VERSION
    student: str
    score: float
    max_score: float = 100.0
    isolation: Isolation
    notebook: bool = False  # handed in as one; then places have `cell` and `cell_line` beside file and line
    kit: Kit
    sources: list[Source] = Field(default_factory=list)  # of the symbols on which work was found
    tests: list[TestResult]
    flags: list[Flag] = Field(default_factory=list)
    problems: list[Problem] = Field(default_factory=list)

    @property
    def graded(self) -> bool:
        """Whether there is a grade at all: something was judged, and not all of it failed through us."""
        return any(t.verdict is not Verdict.GRADER_FAULT for t in self.tests)

    @classmethod
    def nothing(cls, student: str) -> Self:
        """The result of somebody of whom there is no work: no test was run."""
        return cls(student=student, score=0.0, isolation="none", kit=Kit(version=""), tests=[])

    def points_of(self, exercise: str) -> float:
        """Points earned in one exercise (id of course.toml)."""
        return sum(t.points for t in self.tests if t.exercise == exercise)
