"""One submission + the hidden tests -> a SubmissionResult.

In phases, each over plain outcomes: run all tests (attempt.py); run again what failed through our fault;
judge again, with the reference in its place, what an earlier mistake spoilt (credit.py); name the mistakes;
give back what the same mistake would take a second time (repeated.py); leave out what counts only together
with work that is not there (substance.py); put it all together.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from pydantic import JsonValue

from autograder.assignment import Assignment
from autograder.checks.outcome import Outcome
from autograder.diagnosis import Diagnosis, diagnose
from autograder.extract.places import in_cells
from autograder.grading.credit import Credited, hopeless
from autograder.grading.flags import suspicious
from autograder.grading.repeated import not_twice
from autograder.grading.standins import stand_ins
from autograder.grading.substance import with_substance
from autograder.identity import kit_of
from autograder.intake.submission import Submission
from autograder.results import Flag, SubmissionResult, Verdict
from autograder.sandbox import Host

ONCE = {
    "code",
    "setup",
    "tried",
}  # the student's function and what can be pasted: with one test of an exercise
LOG = logging.getLogger(__name__)
STUMBLED = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)


def judge(
    submission: Submission, assignment: Assignment, host: Host, *, timing: bool = True
) -> SubmissionResult:
    """Grades one submission. Raises GraderFault when the sandbox cannot be had at all."""
    # Small tensors: a second thread would only spin (measured: six times the CPU), and two judges share two
    # cores.
    torch.set_num_threads(1)
    return grade(Case(submission, assignment, host, timing))


def grade(case: Case) -> SubmissionResult:
    """All phases of one case."""
    case.look_at_sources()
    return case.result(*phases(case))


def phases(case: Case) -> tuple[list[Outcome], dict[str, Diagnosis]]:
    """What came of every hidden test in the end, and which mistakes were found. Raises GraderFault."""
    outcomes = case.first_run()
    outcomes = case.again_where_we_failed(outcomes)
    outcomes = case.follow_through(outcomes)
    diagnoses = case.diagnoses(outcomes)
    outcomes = _named(outcomes, diagnoses)
    outcomes = not_twice(outcomes, diagnoses, case.assignment)
    return with_substance(outcomes), diagnoses


@dataclass
class Case(Credited):
    """All phases."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._diagnosed: dict[tuple[str, tuple[str, ...], tuple[str, ...]], Diagnosis] = {}

    def look_at_sources(self) -> None:
        """For names that a person should see. First of all, for it is taken from the submission's time."""
        self.flags += suspicious(self.submission.files, self.assignment)

    def first_run(self) -> list[Outcome]:
        """All hidden tests (that are to be run now)."""
        return self._run(self.only)

    def again_where_we_failed(self, outcomes: list[Outcome]) -> list[Outcome]:
        """A fault of ours may have been a passing one: once more, in new processes."""
        faults = {o.id for o in outcomes if o.verdict is Verdict.GRADER_FAULT}
        if not faults or self._tried_our_patience:
            return outcomes
        second = {o.id: o for o in self._run(faults)}
        return [second.get(o.id, o) for o in outcomes]

    def diagnoses(self, outcomes: list[Outcome]) -> dict[str, Diagnosis]:
        """Which known mistake each failing exercise shows, earlier faults out of the way."""
        found = {e.id: self._diagnosis_of(e.id, outcomes) for e in self.assignment.exercises}
        return {id: diagnosis for id, diagnosis in found.items() if diagnosis is not None}

    def _diagnosis_of(self, exercise: str, outcomes: list[Outcome]) -> Diagnosis | None:
        """None where there is nothing to look for, or no time."""
        failing = [o for o in outcomes if o.exercise == exercise and not o.earns]
        if not failing or all(o.unwritten or hopeless(o) or self.stopped_before(o) for o in failing):
            return None
        if self._tried_our_patience or any(o.verdict is Verdict.TIMEOUT for o in failing):
            return None  # that it does not end is what there is to say
        try:
            return self._own_mistake(exercise, outcomes)
        except STUMBLED:  # over a value as odd as no right code gives; the grade stands without a name
            LOG.warning("%s: no diagnosis of %s", self.submission.student, exercise, exc_info=True)
            return None

    def real_work(self, exercise: str, outcomes: list[Outcome]) -> bool:
        """Also code that answers, or stops, just as a known mistake does. Where no number is left, or numbers
        are drawn by chance, all are alike."""
        if super().real_work(exercise, outcomes):
            return True
        if any(
            o.exercise == exercise and o.message and o.message.id == "values.not_finite" for o in outcomes
        ):
            return False
        found = self._diagnosis_of(exercise, outcomes)
        return found is not None and bool(found.alike)

    def _own_mistake(self, exercise: str, outcomes: list[Outcome]) -> Diagnosis:
        """A diagnosis without what earlier exercises do to this one, be it only what costs no points."""
        earlier = self.faulty_before(exercise, outcomes)
        every = self.faulty_before(exercise, outcomes, told=True)
        key = (exercise, earlier, every)
        if key not in self._diagnosed:
            self._diagnosed[key] = self._without(exercise, earlier, every)
        return self._diagnosed[key]

    def _without(self, exercise: str, earlier: tuple[str, ...], every: tuple[str, ...]) -> Diagnosis:
        found = self.diagnosis(exercise, earlier)
        if every == earlier:
            return found
        own = self.diagnosis(exercise, every)
        return own if own.mistakes else replace(found, mistakes=[], complete=False)

    def diagnosis(self, exercise: str, earlier: tuple[str, ...]) -> Diagnosis:
        """Of one exercise, with the reference in the place of earlier ones."""
        tried = set(self.assignment[exercise].symbols)  # is what is looked at
        earlier = tuple(e for e in earlier if not tried & set(self.assignment[e].symbols))
        replaced = stand_ins(exercise, earlier, self.assignment)
        student = self.student(replaced)
        try:
            return diagnose(student, exercise, self.assignment, self.files, with_reference=bool(earlier))
        finally:
            self._done_with(student, replaced)

    def result(self, outcomes: list[Outcome], diagnoses: dict[str, Diagnosis]) -> SubmissionResult:
        """Everything together, as it goes into result.json."""
        tests, told = [], set[str]()
        for o in outcomes:
            shown: Mapping[str, JsonValue] = {}
            if o.exercise in diagnoses and not o.earns:
                shown = diagnoses[o.exercise].shown
            elif o.mistakes:  # given back, but still to change: where
                shown = {k: v for k, v in diagnoses[o.exercise].shown.items() if k == "line"}
            if o.exercise in told:
                shown = {k: v for k, v in shown.items() if k not in ONCE}
            elif shown:
                told.add(o.exercise)
            tests.append(o.result(shown))
        measured = [
            Flag(id="not_measured", params={"test": o.id})
            for o in outcomes
            if o.verdict is Verdict.NOT_MEASURED
        ]
        found = SubmissionResult(
            student=self.submission.student,
            score=round(sum(t.points for t in tests), 4),
            max_score=round(sum(t.max_points for t in tests), 4),
            isolation=self.host.level,
            kit=kit_of(self.submission.files, self.assignment, timing=self.timing),
            sources=list(self.submission.sources),
            tests=tests,
            flags=[
                *self.submission.flags,
                *_distinct(self.flags),
                *measured,
            ],
            problems=list(self.submission.problems),
        )
        return in_cells(found, self.submission.files)


def _named(outcomes: list[Outcome], diagnoses: dict[str, Diagnosis]) -> list[Outcome]:
    """The diagnosis of an exercise on each of its failing tests."""
    return [
        replace(
            o,
            mistakes=tuple(diagnoses[o.exercise].mistakes),
            fingerprint=diagnoses[o.exercise].fingerprint or o.fingerprint,
        )
        if o.exercise in diagnoses and not o.earns
        else o
        for o in outcomes
    ]


def _distinct(flags: list[Flag]) -> list[Flag]:
    return list({f.model_dump_json(): f for f in flags}.values())
