"""What a chapter gives to the diagnosis: its `diagnosis` package, every part of which may be left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pydantic import JsonValue
from torch import Tensor

from autograder import content
from autograder.assignment import Assignment
from autograder.diagnosis.probe import Probe
from autograder.results import Message
from autograder.sandbox import LocalStudent
from autograder.sandbox.api import Student

Picture = dict[str, JsonValue]


@dataclass(frozen=True)
class Example:
    """A public example. `call` is code; `ask` gives a tensor when all is well.

    setup, tried: to try it, what is pasted after the inputs, and what is printed then; without `tried` what
    `call` says. columns, row: what the columns of a table of calls are, and the id of the sentence that tells a
    row of it.
    """

    call: str
    ask: Callable[[Student], Any]
    inputs: Mapping[str, Tensor] = field(default_factory=dict)
    setup: str = ""
    tried: str = ""
    row: str = ""
    columns: tuple[str, ...] = ()

    @property
    def pasted(self) -> str:
        """What is run and printed."""
        *before, last = self.call.split("; ")
        return self.tried or "\n".join([*before, f"print({last})"])


@dataclass(frozen=True)
class Chapter:
    """The names that `<chapter>/diagnosis/__init__.py` may define.

    probes: (exercise, seed) -> its probes; none for an exercise without code of its own.
    examples: exercise -> its public examples, the plainest first.
    certain: (exercise, submission) -> what can be said for certain of a wrong result that no known mistake
    explains. picture: (exercise, submission, ids of its mistakes) -> what a page draws.
    PARTS: an exercise without code of its own -> the exercises that it tries out.
    CALLS: (lines that are written out, the call of an earlier exercise that does the same).
    FREE, BESIDE, LATE: aspects of probes, see matching.py.
    """

    probes: Callable[[str, str], Sequence[Probe]] = lambda exercise, seed: ()
    examples: Callable[[str], Sequence[Example]] = lambda exercise: ()
    certain: Callable[[str, Student], Message | None] = lambda exercise, student: None
    picture: Callable[[str, Student, Sequence[str]], Picture | None] = lambda exercise, student, found: None
    PARTS: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    CALLS: tuple[tuple[str, str], ...] = ()
    FREE: frozenset[str] = frozenset()
    BESIDE: frozenset[str] = frozenset()
    LATE: frozenset[str] = frozenset()


@cache
def chapter_of(assignment: Assignment) -> Chapter:
    """Raises ImportError where the package is there and cannot be imported."""
    found = content.optional(assignment.chapter_folder, "diagnosis")
    given = vars(found) if found else {}
    return Chapter(**{name: given[name] for name in Chapter.__dataclass_fields__ if name in given})


@cache
def solution(assignment: Assignment) -> LocalStudent:
    """The solutions, in this process."""
    return LocalStudent(assignment)


@cache
def expected(assignment: Assignment, exercise: str, number: int) -> Any:
    """What the solution gives for a public example."""
    return chapter_of(assignment).examples(exercise)[number].ask(solution(assignment))
