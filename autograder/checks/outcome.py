"""One hidden test's end, and which exception means which verdict."""

from __future__ import annotations

import re
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from pydantic import JsonValue

from autograder import bounded
from autograder.assignment import Assignment
from autograder.checks.check import NotMeasured, Wrong
from autograder.results import Message, TestResult, Verdict
from autograder.sandbox.errors import (
    GraderFault,
    NotWritten,
    StudentBadReply,
    StudentDied,
    StudentRaised,
    StudentTimeout,
)


@dataclass(frozen=True)
class Outcome:
    """What came of one hidden test: everything of a TestResult except credit and diagnosis."""

    id: str
    exercise: str
    concept: str
    max_points: float
    verdict: Verdict
    timing: bool = False
    side: bool = False  # counts only together with another test, see kit.points
    message: Message | None = None
    fingerprint: str | None = None
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    follow_through_of: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        id: str,
        mark: Mapping[str, Any],
        error: BaseException | None,
        assignment: Assignment,
        **more: Any,
    ) -> Outcome:
        """`mark`: what `@points` says of the test; `error`: what it ended with; `more`: other fields."""
        exercise = mark["exercise"]
        verdict, message = (Verdict.PASSED, None) if error is None else judged(error, exercise, assignment)
        return cls(
            id=id,
            exercise=exercise,
            concept=mark["concept"],
            max_points=mark["points"],
            verdict=verdict,
            timing=mark["timing"],
            side=mark["side"],
            message=message and bounded.message(message),
            **more,
        )

    @property
    def earns(self) -> bool:
        """Whether its points are given, by its verdict or by follow-through credit."""
        return self.verdict.earns

    @property
    def unwritten(self) -> bool:
        """Whether the exercise itself is simply not there yet."""
        return self.message is not None and self.message.id == "not_written"

    def credited(self, because_of: tuple[str, ...]) -> Outcome:
        """The same test, its points given back because the fault was taken off in those earlier exercises."""
        return replace(self, verdict=Verdict.PASSED, follow_through_of=because_of)

    def result(self, shown: Mapping[str, object] | None = None) -> TestResult:
        """As it goes into result.json."""
        return TestResult.model_validate(
            {
                "id": self.id,
                "exercise": self.exercise,
                "concept": self.concept,
                "verdict": self.verdict,
                "points": self.max_points if self.earns else 0.0,
                "max_points": self.max_points,
                "mistakes": list(self.mistakes),
                "follow_through": bool(self.follow_through_of),
                "follow_through_of": list(self.follow_through_of),
                "seconds": round(self.seconds, 4),
                "cpu_seconds": round(self.cpu_seconds, 4),
                "message": self.message,
                "shown": shown or {},
                "fingerprint": self.fingerprint,
            }
        )


def judged(error: BaseException, exercise: str, assignment: Assignment) -> tuple[Verdict, Message]:
    """The verdict on a test of `exercise` that ended with `error`. What is not the student's doing is
    ours."""
    match error:
        case Wrong():
            return Verdict.FAILED, Message(id=error.id, params=error.params)
        case NotMeasured():
            return Verdict.NOT_MEASURED, Message(id=error.id, params=error.params)
        case NotWritten():
            symbol = error.symbol.split(".")[0]
            owner = next((e.id for e in assignment.exercises if symbol in e.symbols), exercise)
            if owner == exercise:
                if error.returned is not None:
                    params: dict[str, JsonValue] = {"symbol": symbol, "returned": error.returned}
                    return Verdict.FAILED, Message(id="not_written", params=params)
                return Verdict.FAILED, Message(id="not_written", params={"symbol": symbol})
            return Verdict.SKIPPED, Message(id="needs_first", params={"exercise": owner})
        case StudentRaised():
            return _raised(error, exercise, assignment)
        case StudentTimeout(clock="submission"):
            return Verdict.TIMEOUT, Message(id="timeout.submission", params={"seconds": error.seconds})
        case StudentTimeout(loading=True):
            return Verdict.TIMEOUT, Message(id="timeout.loading", params={"seconds": error.seconds})
        case StudentTimeout(repeated=True):
            return Verdict.TIMEOUT, Message(id="timeout.repeated", params={"seconds": error.seconds})
        case StudentTimeout():
            return Verdict.TIMEOUT, Message(id=f"timeout.{error.clock}", params={"seconds": error.seconds})
        case StudentDied():
            return Verdict.ERROR, Message(id=f"died.{error.how}", params={"code": error.code})
        case StudentBadReply():
            return Verdict.ERROR, Message(id="bad_reply", params={"detail": str(error)})
        case GraderFault():
            return Verdict.GRADER_FAULT, Message(id="grader_fault", params={"detail": str(error)})
        case MemoryError() | OSError():
            return Verdict.GRADER_FAULT, Message(id="grader_fault", params={"detail": _where(error)})
        case RuntimeError() if "memory" in str(error):  # so torch says it
            return Verdict.GRADER_FAULT, Message(id="grader_fault", params={"detail": _where(error)})
        case (
            ArithmeticError() | AttributeError() | LookupError() | RuntimeError() | TypeError() | ValueError()
        ):
            # The hidden test stumbled over a value. All right code passes it (check-kit sees to that), so it
            # is a value that no right code gives; were it called our fault, any odd value would earn points.
            return Verdict.ERROR, Message(id="bad_reply", params={"detail": _where(error)})
        case _:
            return Verdict.GRADER_FAULT, Message(id="grader_fault", params={"detail": _where(error)})


def _where(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1:]
    return type(error).__name__ + (f" at {PurePath(last[0].filename).name}:{last[0].lineno}" if last else "")


# An error's text is the student's own, and may hold what was sent in: `raise ValueError(x)`. Shapes may stay.
_DECIMALS = re.compile(r"[-+]?\d*\.\d+(e[-+]?\d+)?|\d+(\.\d*)?e[-+]?\d+", re.IGNORECASE)


def _raised(error: StudentRaised, exercise: str, assignment: Assignment) -> tuple[Verdict, Message]:
    place = error.place
    params: dict[str, object] = {
        "kind": error.kind,
        "text": _DECIMALS.sub("…", error.text),
        "file": place.file if place else "",
        "line": place.line if place else 0,
        "line_text": place.text if place else "",
    }
    if error.where == "call":
        return Verdict.ERROR, Message.model_validate({"id": "raised", "params": params})
    if (
        place and place.file != assignment[exercise].file
    ):  # a file that this exercise imports could not be loaded
        return Verdict.SKIPPED, Message(id="needs_file", params={"file": place.file, "line": place.line})
    id = "load.syntax" if error.kind in ("SyntaxError", "IndentationError", "TabError") else "load.failed"
    return Verdict.ERROR, Message.model_validate({"id": id, "params": params})
