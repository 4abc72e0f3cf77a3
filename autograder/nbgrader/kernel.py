"""The hidden tests inside a notebook's kernel: what nbgrader's own autograde runs.

This is the unsafe way: the student's code runs in the same process as the tests and can do to them what it
likes. It gives honest work the same points as the sandbox; `autograder grade --nbgrader` is for all other.
"""

from __future__ import annotations

import contextlib
import marshal
import os
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

import torch

from autograder.assignment import Assignment, load_assignment
from autograder.checks.marks import tests_of
from autograder.checks.outcome import Outcome
from autograder.grading.judge import Case, grade
from autograder.intake.submission import Submission
from autograder.results import Isolation, SubmissionResult, TestResult, Verdict
from autograder.sandbox import Host, LocalStudent, reference_files
from autograder.sandbox.calls import Call
from autograder.sandbox.failure import Missing

KNOWN = "_outcomes_of_earlier_exercises"  # in the notebook's namespace: what was found so far
Namespace = MutableMapping[str, Any]


def score(exercise: str, namespace: Namespace, course: str | None = None) -> float:
    """The points of one exercise for what `namespace` (the notebook's globals()) defines. course: the path of a
    course.toml that is not the kit's own.

    Prints a line for each test, and nothing to stderr: nbgrader takes anything there for an error.
    """
    with _quiet(), _one_thread():
        result = result_of(exercise, namespace, load_assignment(Path(course)) if course else None)
    for test in result.tests:
        if test.exercise == exercise:
            print(f"[{_mark(test)}] {test.concept}")
    return result.points_of(exercise)


def _mark(test: TestResult) -> str:
    if test.verdict in (Verdict.GRADER_FAULT, Verdict.NOT_MEASURED):
        return "? "  # gives the points, and somebody should look
    return "ok" if test.points == test.max_points else "  "


def result_of(exercise: str, namespace: Namespace, course: Assignment | None = None) -> SubmissionResult:
    """The judge's result over this exercise and those that were scored before it in this notebook."""
    course = course or load_assignment()
    known: dict[str, Outcome] = namespace.setdefault(KNOWN, {})
    case = KernelCase(
        Submission("notebook", {}),
        course,
        Kernel(namespace, course),
        only=tests_of(exercise, course),
        earlier=tuple(known.values()),
    )
    result = grade(case)
    known |= {o.id: o for o in case.followed if o.exercise == exercise}
    return result


@dataclass
class KernelCase(Case):
    """The judge's phases for one exercise at a time: a notebook's cells are run in order."""

    earlier: tuple[Outcome, ...] = ()
    followed: list[Outcome] = field(default_factory=list)

    def first_run(self) -> list[Outcome]:
        """Earlier exercises as they came out, and this one."""
        now = super().first_run()
        return [*(o for o in self.earlier if o.id not in {n.id for n in now}), *now]

    def follow_through(self, outcomes: list[Outcome]) -> list[Outcome]:
        """As always, and kept for the exercises after this one."""
        self.followed = super().follow_through(outcomes)
        return self.followed


class Kernel(Host):
    """Runs submissions in this process, unprotected."""

    level: Isolation = "none"

    def __init__(self, namespace: Namespace, assignment: Assignment) -> None:
        self._namespace, self._assignment = namespace, assignment

    def student(
        self, files: Mapping[str, bytes], replace: Mapping[str, bytes] | None = None, **_: Any
    ) -> LocalStudent:
        """What the notebook defines, the named symbols replaced by the reference; or the reference itself."""
        if dict(files) == reference_files(self._assignment):
            return LocalStudent(self._assignment)
        return KernelStudent(self._assignment, self._namespace, replace or {})


class KernelStudent(LocalStudent):
    """The notebook's namespace as a student."""

    def __init__(self, assignment: Assignment, namespace: Namespace, replace: Mapping[str, bytes]) -> None:
        super().__init__(assignment, {})
        self._namespace = namespace
        self._replace = {symbol: _run(code, symbol) for symbol, code in replace.items()}

    def _lookup(self, symbol: str) -> Any:
        if symbol not in self._namespace:
            raise Missing(symbol)
        return self._namespace[symbol]

    def perform(self, call: Call) -> Any:
        """One call, with the replacements under the names that the notebook's own functions look up."""
        before = {symbol: self._namespace[symbol] for symbol in self._replace if symbol in self._namespace}
        self._namespace.update(self._replace)
        try:
            return super().perform(call)
        finally:
            for symbol in self._replace:
                self._namespace.pop(symbol, None)
            self._namespace.update(before)

    def _own_file(self, filename: str) -> str | None:
        return "notebook" if "ipykernel" in filename else None

    def _line(self, file: str, line: int) -> str:
        return ""


def _run(code: bytes, symbol: str) -> Any:
    """The reference's symbol, from its compiled form."""
    namespace: dict[str, Any] = {"__name__": "reference"}
    compiled = marshal.loads(code)
    assert isinstance(compiled, CodeType)
    exec(compiled, namespace)  # the kit's own solution
    return namespace[symbol]


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """CPU clocks compare work, not waiting: on one thread."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Nothing reaches stderr, neither Python's nor the process's; what is printed stays unseen."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        kept = os.dup(2)
        os.dup2(nowhere.fileno(), 2)
        try:
            with contextlib.redirect_stderr(nowhere), contextlib.redirect_stdout(nowhere):
                yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
