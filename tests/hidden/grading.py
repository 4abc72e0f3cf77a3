"""The judge's phases over trusted code in this process: no sandbox, and the hidden tests called as functions.

That makes a grading cost a quarter of a second, so that hundreds of submissions fit into a test run;
test_sandboxed.py makes sure that the real judge says the same.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from autograder.course import Course, load_course
from autograder.hidden.draw import Draw
from autograder.hidden.kit import Check
from autograder.hidden.outcome import Outcome, judged
from autograder.intake.submission import Submission
from autograder.judge import Case
from autograder.mistakes.planted import local_student
from autograder.results import Verdict
from autograder.sandbox import LocalStudent


@cache
def course() -> Course:
    """The kit's own course."""
    return load_course()


@cache
def hidden_tests() -> dict[str, tuple[Callable[..., None], dict[str, Any]]]:
    """id -> (function, what @points says of it), in the chapter's order."""
    found = {}
    for sheet in dict.fromkeys(e.sheet for e in course().exercises):
        for name, function in vars(import_module(f"autograder.hidden.test_{sheet}")).items():
            for mark in getattr(function, "pytestmark", ()):
                if mark.name == "hidden":
                    found[f"{sheet}/{name.removeprefix('test_')}"] = (function, dict(mark.kwargs))
    order = [e.id for e in course().exercises]
    return dict(sorted(found.items(), key=lambda item: order.index(item[1][1]["exercise"])))


class Here(Case):
    """A Case whose submission runs in this process. Only for code of this repository."""

    def student(self, replaced: frozenset[str]) -> Any:
        """The submission, the named symbols put back to the solution's."""
        return local_student({name: data.decode() for name, data in self.files.items()}, list(replaced))

    def _run(self, only: Collection[str] | None, replaced: frozenset[str] = frozenset()) -> list[Outcome]:
        fixtures = {
            "student": self.student(replaced),
            "reference": LocalStudent("solutions"),
            "check": Check(self.course.tolerance),
            "course": self.course,
        }
        return [
            one_outcome(id, function, mark, fixtures)
            for id, (function, mark) in hidden_tests().items()
            if (only is None or id in only) and (self.timing or not mark["timing"])
        ]


def one_outcome(
    id: str, function: Callable[..., None], mark: dict[str, Any], fixtures: dict[str, Any]
) -> Outcome:
    """One hidden test, called as a function."""
    wanted = inspect.signature(function).parameters
    verdict, message = Verdict.PASSED, None
    try:
        function(
            **{name: Draw(course().course.seed, id) if name == "draw" else fixtures[name] for name in wanted}
        )
    except Exception as error:
        verdict, message = judged(error, mark["exercise"], course())
    return Outcome(
        id=id,
        exercise=mark["exercise"],
        concept=mark["concept"],
        max_points=mark["points"],
        verdict=verdict,
        timing=mark["timing"],
        message=message,
    )


def case_of(files: Mapping[str, str], *, timing: bool = False) -> Here:
    """A submission's phases."""
    submission = Submission(student="someone", files={name: text.encode() for name, text in files.items()})
    return Here(submission, course(), None, timing)  # type: ignore[arg-type]  # no sandbox


def outcomes(files: Mapping[str, str], *, timing: bool = False) -> list[Outcome]:
    """What the hidden tests say, follow-through included; known mistakes are not looked for."""
    case = case_of(files, timing=timing)
    return case.follow_through(case.again_where_we_failed(case.first_run()))


def lost(found: list[Outcome]) -> dict[str, list[str]]:
    """exercise -> its tests that cost points."""
    out: dict[str, list[str]] = {}
    for o in found:
        if o.max_points > 0 and not o.earns:
            out.setdefault(o.exercise, []).append(f"{o.id}: {o.verdict} {o.message}")
    return out
