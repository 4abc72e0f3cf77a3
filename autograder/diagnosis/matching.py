"""Which known mistakes give the same answers as a student's code, to every probe that decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from autograder.assignment import Assignment
from autograder.chapter04.diagnosis import CORE, Probe, probes
from autograder.diagnosis.entries import catalogue
from autograder.diagnosis.mutants import Planted, local_student, plant
from autograder.diagnosis.observation import NOT_RUN, NOT_WRITTEN, Seen, look
from autograder.diagnosis.probe import UNSTEADY, UNSURE
from autograder.sandbox.api import Student

# Aspects that no points hang on: a difference there is told, and stands in the way of nothing.
FREE = frozenset({"huge", "device", "half", "form", "open", "fork"})
# A mistake of its own beside any other, told and taken off by itself: working in place changes no name.
BESIDE = frozenset({"input"})
LATE = frozenset({"cost", "device"})  # dear to ask: only when nothing else that costs points is wrong
GONE = ("timeout", "died")  # after two such answers the rest is not asked


@dataclass
class Answers:
    """One student's (or variant's) answers, asked when they are needed and kept."""

    student: Student
    kept: dict[str, Seen] = field(default_factory=dict)
    gone: int = 0
    solution: bool = False

    def to(self, probe: Probe) -> Seen:
        """The answer to that probe."""
        if probe.key not in self.kept:
            if self.solution and probe.right is not None:
                return probe.right
            if self.gone >= 2:
                seen = NOT_RUN
            else:
                seen = probe.ask(self.student)
                self.gone += seen.form.startswith(GONE)
            self.kept[probe.key] = seen
        return self.kept[probe.key]


@dataclass
class Known:
    """A planted mistake and its answers, for as long as this process lives."""

    planted: Planted
    answers: Answers


@dataclass(frozen=True)
class Match:
    """`mistakes`: several cannot be told apart. `complete`: nothing that costs points differs besides."""

    mistakes: tuple[str, ...] = ()
    complete: bool = False
    differs: tuple[str, ...] = ()  # names of the probes that are answered otherwise than by the solution
    alike: tuple[Planted, ...] = ()  # code of ours that answers as the student's does; none where chance does

    @property
    def twin(self) -> Planted | None:
        """The first of them."""
        return self.alike[0] if self.alike else None


@cache
def reference(exercise: str, seed: str) -> Answers:
    """The solution's answers."""
    return Answers(local_student({}), solution=True)


@cache
def known(exercise: str, files: tuple[tuple[str, str], ...], seed: str) -> tuple[Known, ...]:
    """All variants of an exercise. `files`: (exercise, its file) of the course."""
    planted = [p for entry in catalogue().values() for p in plant(entry, dict(files))]
    return tuple(Known(p, Answers(p.student())) for p in planted if p.exercise == exercise)


def files_of(assignment: Assignment) -> tuple[tuple[str, str], ...]:
    """(exercise, file) of every exercise, in the chapter's order."""
    return tuple((e.id, e.file) for e in assignment.exercises)


def match(answers: Answers, exercise: str, assignment: Assignment) -> Match:
    """Names what the answers equal. A mistake is named only when it agrees on every probe of CORE."""
    seed = assignment.course.seed
    every = probes(exercise, seed)
    asked = tuple(p for p in every if p.aspect not in LATE)
    right = reference(exercise, seed)
    got = {p.key: answers.to(p) for p in asked}
    if not asked or NOT_WRITTEN in got.values():
        return Match()
    differs = tuple(p.key for p in asked if not got[p.key].same(right.to(p)))
    if not any(p.key in differs and p.aspect not in FREE for p in asked) and len(every) > len(asked):
        got = {p.key: answers.to(p) for p in every}  # all values are right: what do they cost?
        asked = tuple(p for p in every if got[p.key] != UNSURE)
        differs = tuple(p.key for p in asked if not got[p.key].same(right.to(p)))
    if not differs:
        return Match()
    core = [p for p in asked if p.aspect == CORE]
    rest = [p for p in asked if p.aspect != CORE]
    same_core = [
        k
        for k in known(exercise, files_of(assignment), seed)
        if all(got[p.key].same(k.answers.to(p)) for p in core)
        and all(k.answers.to(p).same(right.to(p)) for p in every if got.get(p.key) == UNSURE)
    ]
    if not same_core:
        return Match(_random(answers, core, known(exercise, files_of(assignment), seed)), False, differs)
    whole = [k for k in same_core if all(got[p.key].same(k.answers.to(p)) for p in rest)]
    paid = [p for p in rest if p.aspect not in FREE | BESIDE]
    costly = [k for k in same_core if all(got[p.key].same(k.answers.to(p)) for p in paid)]
    if not any(p.key in differs and p.aspect not in FREE | BESIDE for p in asked):
        costly = []
    if any(p.key in differs for p in core):
        found = whole or costly or same_core
        return Match(_ids(found), bool(whole or costly), differs, _planted(found))
    if found := whole or costly:
        return Match(_ids(found), True, differs, _planted(found))
    return _part(same_core, asked, got, differs, right)


def _random(answers: Answers, core: Sequence[Probe], every: Sequence[Known]) -> tuple[str, ...]:
    """Mistakes that draw random numbers, for code that does so too. What such code answers is worth nothing
    else."""
    first = next((p for p in core if answers.to(p).form == UNSTEADY), None)
    if first is None or not _draws(answers, core, answers.student):
        return ()
    unsteady = [k for k in every if k.answers.to(first).form == UNSTEADY]
    return _ids([k for k in unsteady if _draws(k.answers, core, k.planted.student())])


def _draws(answers: Answers, core: Sequence[Probe], student: Student) -> bool:
    """Whether a new life answers the same questions in the same order otherwise: chance. Code that only
    remembers
    its earlier calls answers as before."""
    student.fresh()
    # A new process begins with the same random numbers; making a layer uses some up and leaves no memory.
    look(lambda: student.MultiHeadAttention(6, 2, True) and None)
    again = Answers(student)
    return any(not answers.to(p).same(again.to(p)) for p in core)


def _part(
    found: Sequence[Known],
    asked: Sequence[Probe],
    got: dict[str, Seen],
    differs: tuple[str, ...],
    right: Answers,
) -> Match:
    """All values are right, but some other aspect is not: mistakes that explain the first such difference,
    and contradict nothing."""
    by_cost = [p for free in (False, True) for p in asked if p.key in differs and (p.aspect in FREE) is free]
    first = by_cost[0]
    fitting = []
    for k in found:
        own = [p for p in asked if not k.answers.to(p).same(right.to(p))]
        if first in own and all(got[p.key].same(k.answers.to(p)) for p in own):
            fitting.append((k, {p.key for p in own}))
    if not fitting:
        return Match(differs=differs)
    most = max(len(own) for _, own in fitting)
    best = [k for k, own in fitting if len(own) == most]
    costly = {p.key for p in asked if p.key in differs and p.aspect not in FREE}
    explained = set.union(*(own for _, own in fitting))
    return Match(_ids(best), costly <= explained, differs, _planted(best))


def _ids(found: Sequence[Known]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(k.planted.mistake for k in found))


def _planted(found: Sequence[Known]) -> tuple[Planted, ...]:
    return tuple(k.planted for k in found)
