"""One submission + the hidden tests -> a SubmissionResult.

In phases, each a function over plain outcomes: run all tests; run again what failed through our fault;
judge again,
with the reference in its place, what an earlier mistake spoilt; name the mistakes; give back what the
same mistake
would take a second time; put it all together.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache

import torch
from pydantic import JsonValue

from autograder.course import ROOT, Course
from autograder.flags import needless, not_allowed
from autograder.hidden.outcome import Outcome
from autograder.hidden.plugin import run
from autograder.identity import kit_of
from autograder.intake.submission import Submission
from autograder.mistakes import Diagnosis, diagnose
from autograder.results import Flag, SubmissionResult, Verdict
from autograder.sandbox import RemoteStudent, Sandbox, reference_files, reference_for
from autograder.sandbox.symbols import symbols_of

LOG = logging.getLogger(__name__)
STUMBLED = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)
FILES = ("heads.py", "mask.py", "attention.py", "kv_cache.py")


def judge(
    submission: Submission, course: Course, sandbox: Sandbox, *, timing: bool = True
) -> SubmissionResult:
    """Grades one submission. Raises GraderFault when the sandbox cannot be had at all."""
    # Small tensors: a second thread would only spin (measured: six times the CPU), and two judges share two
    # cores.
    torch.set_num_threads(1)
    return grade(Case(submission, course, sandbox, timing))


def grade(case: Case) -> SubmissionResult:
    """All phases of one case."""
    outcomes = case.first_run()
    outcomes = case.again_where_we_failed(outcomes)
    outcomes = case.follow_through(outcomes)
    diagnoses = case.diagnoses(outcomes)
    outcomes = _named(outcomes, diagnoses)
    outcomes = _not_twice(outcomes, diagnoses)
    return case.result(outcomes, diagnoses)


@dataclass
class Case:
    """The phases that need the submission itself. `only`: ids of tests, when not all are to be run now."""

    submission: Submission
    course: Course
    sandbox: Sandbox
    timing: bool = True
    only: frozenset[str] | None = None

    def __post_init__(self) -> None:
        # A missing file is the unwritten exercise, so the stub stands in for it.
        self.files = {name: self.submission.files.get(name, stub(name)) for name in FILES}
        self.flags: list[Flag] = []
        self.spent = 0.0  # seconds that the submission has worked, or kept us waiting
        self._hung: set[str] = set()  # files whose loading does not end
        self._hung_anyway: set[str] = set()  # nor with the reference in earlier exercises' place

    def _run(self, only: Collection[str] | None, replaced: frozenset[str] = frozenset()) -> list[Outcome]:
        student = self.student(replaced)
        references: list[RemoteStudent] = []

        def reference() -> RemoteStudent:
            if not references:
                references.append(self.sandbox.student(reference_files()))
            return references[0]

        try:
            return run(self.course, student, reference, only=only, timing=self.timing)
        finally:
            if not replaced:
                self.flags += student.flags
            self._done_with(student, replaced)
            for one in references:
                one.close()

    def student(self, replaced: frozenset[str]) -> RemoteStudent:
        """The submission in the sandbox, the named symbols replaced by the reference.

        It may use what is left for all phases together. A file that never loads is not waited for again,
        except once with the reference in the place of what it may hang on.
        """
        limits = self.course.limits
        left = min(limits.submission_cpu_seconds, max(0.0, self._patience - self.spent))
        return self.sandbox.student(
            self.files,
            replace=reference_for(replaced) if replaced else {},
            limits=limits.model_copy(update={"submission_cpu_seconds": left}),
            hung=self._hung_anyway | self._hung & self._files_of(replaced) if replaced else self._hung,
        )

    def _done_with(self, student: RemoteStudent, replaced: frozenset[str]) -> None:
        """Ends it, and remembers what it has cost."""
        self.spent += student.cpu_seconds() + student.idle_seconds
        if replaced:
            self._hung_anyway |= student.hung_files - self._files_of(replaced)
        else:
            self._hung |= student.hung_files
        student.close()

    def defined_by(self, exercises: Collection[str]) -> frozenset[str]:
        """What these exercises define."""
        return frozenset(s for e in exercises for s in self.course[e].symbols)

    def _files_of(self, symbols: Collection[str]) -> set[str]:
        home = symbols_of(self.course)
        return {home[symbol] for symbol in symbols}

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

    def follow_through(self, outcomes: list[Outcome]) -> list[Outcome]:
        """Judges again what failed after an earlier exercise of the same student had failed."""
        for exercise in self.course.exercises:
            replaced = self.faulty_before(exercise.id, outcomes)
            outcomes = self._judged_again(exercise.id, replaced, outcomes)
            # What is only told, and takes nothing off, is not told twice either.
            every = self.faulty_before(exercise.id, outcomes, told=True)
            if every != replaced:
                outcomes = self._judged_again(exercise.id, every, outcomes, free=True)
        return outcomes

    def _judged_again(
        self, exercise: str, replaced: tuple[str, ...], outcomes: list[Outcome], *, free: bool = False
    ) -> list[Outcome]:
        """With the reference in the place of earlier exercises. `free`: only what costs no points."""
        failing = [o for o in outcomes if o.exercise == exercise and not o.earns and not _hopeless(o)]
        again = {o.id for o in failing if not free or o.max_points == 0}
        again = again if self.only is None else again & self.only
        if not replaced or not again or self._used_up(outcomes, exercise, replaced):
            return outcomes
        second = {o.id: o for o in self._run(again, self.defined_by(replaced))}
        return [
            replace(o, follow_through_of=replaced, verdict=Verdict.PASSED, message=None)
            if o.id in second and second[o.id].verdict is Verdict.PASSED
            else o
            for o in outcomes
        ]

    def _used_up(self, outcomes: list[Outcome], exercise: str, replaced: tuple[str, ...]) -> bool:
        """Whether judging an exercise again would only wait for the same endless loop again.

        A loop in an earlier exercise may be why this one did not end; a loop of its own is not worth a
        second wait.
        """
        endless = {o.exercise for o in outcomes if o.verdict is Verdict.TIMEOUT}
        return self._tried_our_patience or (exercise in endless and not endless & set(replaced))

    @property
    def _patience(self) -> float:
        """Seconds that one submission may use up in all phases together."""
        return 2 * self.course.limits.submission_cpu_seconds

    @property
    def _tried_our_patience(self) -> bool:
        """Right code takes a second or two; who has had minutes is not judged again in later phases."""
        return self.spent >= self._patience

    def faulty_before(self, exercise: str, outcomes: list[Outcome], *, told: bool = False) -> tuple[str, ...]:
        """Earlier exercises whose own work is wrong. What is being judged itself is never among them.

        `told`: also those that only fail what costs no points.
        """
        own = set(self.course[exercise].symbols)
        lost = {o.exercise for o in outcomes if not o.earns and (o.max_points > 0 or told)}
        wanted = set(self.course.needed_by(exercise)) | self._in_broken_files(exercise, outcomes)
        return tuple(
            e.id for e in self.course.exercises if e.id in wanted & lost and not own & set(e.symbols)
        )

    def _in_broken_files(self, exercise: str, outcomes: list[Outcome]) -> set[str]:
        """Exercises of files that do not load, where this exercise's own file imports one of them.

        An import needs the whole file, also for symbols that this exercise has no use for.
        """
        own = [o for o in outcomes if o.exercise == exercise]
        file = self.course[exercise].file
        stopped = any(o.message and o.message.id == "needs_file" for o in own)
        endless = file not in self._hung and any(o.verdict is Verdict.TIMEOUT for o in own)
        broken: set[str] = set()
        if stopped or endless:
            broken |= self._hung
        if stopped:
            ids = {o.exercise for o in outcomes if o.message and o.message.id.startswith("load.")}
            broken |= {self.course[id].file for id in ids}
        return {e.id for e in self.course.exercises if e.file in broken - {file}}

    def diagnoses(self, outcomes: list[Outcome]) -> dict[str, Diagnosis]:
        """Which known mistake each failing exercise shows, earlier faults out of the way."""
        found = {}
        for exercise in self.course.exercises:
            failing = [o for o in outcomes if o.exercise == exercise.id and not o.earns]
            if not failing or all(_hopeless(o) for o in failing):
                continue
            if self._tried_our_patience or any(o.verdict is Verdict.TIMEOUT for o in failing):
                continue  # that it does not end is what there is to say
            try:
                found[exercise.id] = self._own_mistake(exercise.id, outcomes)
            except STUMBLED:  # over a value as odd as no right code gives; the grade stands without a name
                LOG.warning("%s: no diagnosis of %s", self.submission.student, exercise.id, exc_info=True)
        return found

    def _own_mistake(self, exercise: str, outcomes: list[Outcome]) -> Diagnosis:
        """A diagnosis without what earlier exercises do to this one, be it only what costs no points."""
        earlier = self.faulty_before(exercise, outcomes)
        found = self.diagnosis(exercise, earlier)
        every = self.faulty_before(exercise, outcomes, told=True)
        if every == earlier:
            return found
        own = self.diagnosis(exercise, every)
        return own if own.mistakes else replace(found, mistakes=[], complete=False)

    def diagnosis(self, exercise: str, earlier: tuple[str, ...]) -> Diagnosis:
        """Of one exercise, with the reference in the place of earlier ones."""
        replaced = self.defined_by(earlier)
        student = self.student(replaced)
        try:
            return diagnose(student, exercise, self.course, self.files, with_reference=bool(earlier))
        finally:
            self._done_with(student, replaced)

    def result(self, outcomes: list[Outcome], diagnoses: dict[str, Diagnosis]) -> SubmissionResult:
        """Everything together, as it goes into result.json."""
        tests = []
        for o in outcomes:
            shown: Mapping[str, JsonValue] = {}
            if o.exercise in diagnoses and not o.earns:
                shown = diagnoses[o.exercise].shown
            elif o.mistakes:  # given back, but still to change: where
                shown = {k: v for k, v in diagnoses[o.exercise].shown.items() if k == "line"}
            tests.append(o.result(shown))
        measured = [
            Flag(id="not_measured", params={"test": o.id})
            for o in outcomes
            if o.verdict is Verdict.NOT_MEASURED
        ]
        return SubmissionResult(
            student=self.submission.student,
            score=round(sum(t.points for t in tests), 4),
            max_score=round(sum(t.max_points for t in tests), 4),
            isolation=self.sandbox.level,
            kit=kit_of(self.submission.files, self.course, timing=self.timing),
            tests=tests,
            flags=[
                *self.submission.flags,
                *not_allowed(self.submission.files, self.course),
                *needless(self.submission.files),
                *_distinct(self.flags),
                *measured,
            ],
            problems=list(self.submission.problems),
        )


def _hopeless(outcome: Outcome) -> bool:
    """Whether no earlier exercise can be why: the exercise is not written, or its own file does not load."""
    return outcome.message is not None and outcome.message.id in ("not_written", "load.syntax")


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


def _not_twice(outcomes: list[Outcome], diagnoses: dict[str, Diagnosis]) -> list[Outcome]:
    """The same named mistake in a later exercise is not taken off again.

    A complete diagnosis means that the output equals the known wrong variant's on all probes: apart from this
    one mistake the later exercise is right. Cost is no part of that proof and stays taken off.
    """
    order = list(diagnoses)
    for i, later in enumerate(order):
        same = tuple(e for e in order[:i] if set(diagnoses[e].mistakes) & set(diagnoses[later].mistakes))
        if same and diagnoses[later].complete:
            outcomes = [
                o.credited(same) if o.exercise == later and not o.earns and not _about_cost(o) else o
                for o in outcomes
            ]
    return outcomes


def _about_cost(outcome: Outcome) -> bool:
    return outcome.message is not None and outcome.message.id.startswith("cost.")


def _distinct(flags: list[Flag]) -> list[Flag]:
    return list({f.model_dump_json(): f for f in flags}.values())


@cache
def stub(name: str) -> bytes:
    """The exercise as students get it."""
    return (ROOT / "exercises" / name).read_bytes()
