"""One failing exercise of one submission -> which known mistake it is, and what to show of it.

Called with the earlier exercises out of the way: the judge hands in a student whose earlier failing symbols
are the reference's. The code that is looked at can then read the reference, so nothing that it makes up is
shown: for a known mistake the example and the picture come from the catalogue's code, which answers the same;
else only what can be said in words of ours.

Whatever the student's code does is an answer; only GraderFault gets out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import JsonValue

from autograder.assignment import Assignment
from autograder.checks.check import fingerprint
from autograder.diagnosis import source, views
from autograder.diagnosis.chapter import chapter_of, expected
from autograder.diagnosis.matching import Answers, Match, match, probes
from autograder.diagnosis.mutants import Planted
from autograder.results import Message
from autograder.sandbox.api import Student
from autograder.sandbox.errors import NotWritten, StudentFault, StudentRaised


@dataclass(frozen=True)
class Diagnosis:
    """What can be said of one failing exercise."""

    mistakes: list[str] = field(default_factory=list)  # none: not one we know; several: indistinguishable
    message: Message | None = None  # what can be said for certain when none matches
    shown: dict[str, JsonValue] = field(default_factory=dict)  # on a public input, for the page
    fingerprint: str | None = None
    # Whether the mistake explains all that costs points here: apart from it the exercise is right.
    complete: bool = False
    alike: tuple[Planted, ...] = ()  # code of ours with these mistakes that answers the same


def diagnose(
    student: Student,
    exercise: str,
    assignment: Assignment,
    files: Mapping[str, bytes] | None = None,
    *,
    with_reference: bool = False,
) -> Diagnosis:
    """Which known mistakes the student's code shows in that exercise.

    `files`: the submission's sources, to point at the student's own line; without them that is left out.
    `with_reference`: the student's process holds reference code in the place of earlier exercises.
    Raises GraderFault.
    """
    for part in chapter_of(assignment).PARTS.get(exercise, (exercise,)):
        found = _one(student, part, assignment, files or {}, with_reference)
        if found.mistakes or part == exercise:
            return found
    return Diagnosis()


def _one(
    student: Student, exercise: str, assignment: Assignment, files: Mapping[str, bytes], with_reference: bool
) -> Diagnosis:
    answers = Answers(student)
    found = match(answers, exercise, assignment)
    if not found.differs and not probes(exercise, assignment):
        return Diagnosis()
    line, mistakes = source.of_mistakes(found.mistakes, assignment, exercise, files)
    shown: dict[str, JsonValue] = {}
    message = None
    if answers.gone >= 2:
        pass  # it is not worth more of our time
    elif not with_reference:
        shown, raised = _example(student, exercise, assignment, found)
        line = source.of_place(raised.place if isinstance(raised, StudentRaised) else None, files) or line
        message = None if mistakes else chapter_of(assignment).certain(exercise, student)
    elif found.twin is not None:
        shown, _ = _example(found.twin.student(), exercise, assignment, found)
    else:
        shown, _ = _example(student, exercise, assignment, found, outlined=True)
    if line is not None:
        shown["line"] = line
        code = source.function_around(line, files)
        if code is not None:
            shown["code"] = code
    if message is not None:
        shown["certain"] = message.model_dump()
    fingerprint = _fingerprint(answers, assignment.course.seed)
    return Diagnosis(list(mistakes), message, shown, fingerprint, found.complete, found.alike)


def _example(
    student: Student, exercise: str, assignment: Assignment, found: Match, *, outlined: bool = False
) -> tuple[dict[str, JsonValue], StudentFault | None]:
    """The first public example that comes out wrong with its picture, and what it raised. Outlined: without
    the values that came back."""
    shown: dict[str, JsonValue] = {}
    raised: StudentFault | None = None
    for number, example in enumerate(chapter_of(assignment).examples(exercise)):
        wanted = expected(assignment, exercise, number)
        got: Any
        try:
            got = example.ask(student)
        except NotWritten as fault:
            return {}, fault
        except StudentFault as fault:
            got = raised = fault
        if raised is not None or views.differs(got, wanted):
            shown = {
                "call": example.call,
                "inputs": {name: views.view(value) for name, value in example.inputs.items()},
                "expected": views.view(wanted),
                "got": views.outline(got, wanted) if outlined else views.view(got),
                "setup": example.setup,
                "tried": example.pasted,
            }
            if example.row:
                shown["trace"] = {"row": example.row, "columns": list(example.columns)}
            where = views.first_difference(got, wanted)
            if where is not None:
                shown["first_difference"] = where
            break
    if raised is None and not outlined:
        drawn = chapter_of(assignment).picture(exercise, student, found.mistakes)
        if drawn is not None:
            shown["picture"] = drawn
    return shown, raised


def _fingerprint(answers: Answers, seed: str) -> str | None:
    """Same answers to all probes, same fingerprint: for clusters on the class page.

    The course's secret goes in, so that nobody who sees one can find out by trying what was answered.
    """
    said = []
    for key, seen in sorted(answers.kept.items()):
        said.append(f"{key} {seen.form} {'' if seen.numbers is None else fingerprint(seen.numbers)}")
    return hashlib.sha256("\n".join([seed, *said]).encode()).hexdigest()[:12] if said else None


__all__ = ["Diagnosis", "diagnose"]
