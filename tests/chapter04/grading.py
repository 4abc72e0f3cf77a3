"""The judge's phases over trusted code in this process: no sandbox, and the hidden tests called as functions.

That makes a grading cost a quarter of a second, so that hundreds of submissions fit into a test run;
test_sandboxed.py makes sure that the real judge says the same.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from autograder.assignment import Assignment, load_assignment
from autograder.checks import directly
from autograder.checks.outcome import Outcome
from autograder.diagnosis.mutants import local_student
from autograder.grading.judge import Case
from autograder.grading.standins import NOBODY, StandIns
from autograder.grading.substance import with_substance
from autograder.intake.submission import Submission


@cache
def assignment() -> Assignment:
    """The kit's own course."""
    return load_assignment()


@cache
def hidden_tests() -> dict[str, directly.Test]:
    """id -> (function, what @points says of it), in the chapter's order."""
    return directly.hidden_tests(assignment())


class Here(Case):
    """A Case whose submission runs in this process. Only for code of this repository."""

    def student(self, replaced: StandIns) -> Any:
        """The submission, other code in the place of some symbols. What only has to be importable is the
        solution's too: no code of this repository looks for it."""
        texts = {name: data.decode() for name, data in self.files.items()}
        return local_student(self.assignment, texts, replaced.symbols)

    def _run(self, only: Collection[str] | None, replaced: StandIns = NOBODY) -> list[Outcome]:
        return directly.run_directly(self.assignment, self.student(replaced), only=only, timing=self.timing)


def case_of(files: Mapping[str, str], *, timing: bool = False) -> Here:
    """A submission's phases."""
    submission = Submission(student="someone", files={name: text.encode() for name, text in files.items()})
    return Here(submission, assignment(), None, timing)  # type: ignore[arg-type]  # no sandbox


def outcomes(files: Mapping[str, str], *, timing: bool = False) -> list[Outcome]:
    """What the hidden tests say, follow-through included; known mistakes are not looked for."""
    case = case_of(files, timing=timing)
    return with_substance(case.follow_through(case.again_where_we_failed(case.first_run())))


def lost(found: list[Outcome]) -> dict[str, list[str]]:
    """exercise -> its tests that cost points."""
    out: dict[str, list[str]] = {}
    for o in found:
        if o.max_points > 0 and not o.earns:
            out.setdefault(o.exercise, []).append(f"{o.id}: {o.verdict} {o.message}")
    return out
