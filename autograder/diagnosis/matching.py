"""Which known mistakes give the same answers as a student's code, to every probe that decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from autograder.assignment import Assignment
from autograder.diagnosis.chapter import Chapter, chapter_of, solution
from autograder.diagnosis.entries import catalogue
from autograder.diagnosis.mutants import Planted, plant
from autograder.diagnosis.observation import NOT_RUN, NOT_WRITTEN, Seen
from autograder.diagnosis.probe import CORE, UNSTEADY, UNSURE, Probe
from autograder.sandbox.api import Student

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
def reference(exercise: str, assignment: Assignment) -> Answers:
    """The solution's answers."""
    return Answers(solution(assignment), solution=True)


@cache
def known(exercise: str, assignment: Assignment) -> tuple[Known, ...]:
    """All variants of an exercise."""
    planted = [p for entry in catalogue(assignment).values() for p in plant(entry, assignment)]
    return tuple(Known(p, Answers(p.student())) for p in planted if p.exercise == exercise)


# What a chapter says of its aspects: no points hang on those of FREE (a difference there is told, and stands
# in the way of nothing); BESIDE holds mistakes beside any other, told and taken off by themselves; LATE is
# dear to ask, and asked only when nothing else that costs points is wrong.


@cache
def probes(exercise: str, assignment: Assignment) -> tuple[Probe, ...]:
    """The probes of an exercise; their inputs grow from the course's seed."""
    return tuple(chapter_of(assignment).probes(exercise, assignment.course.seed))


def match(answers: Answers, exercise: str, assignment: Assignment) -> Match:
    """Names what the answers equal. A mistake is named only when it agrees on every probe of CORE."""
    chapter = chapter_of(assignment)
    every = probes(exercise, assignment)
    asked = tuple(p for p in every if p.aspect not in chapter.LATE)
    right = reference(exercise, assignment)
    got = {p.key: answers.to(p) for p in asked}
    if not asked or NOT_WRITTEN in got.values():
        return Match()
    differs = tuple(p.key for p in asked if not got[p.key].same(right.to(p)))
    if not any(p.key in differs and p.aspect not in chapter.FREE for p in asked) and len(every) > len(asked):
        got = {p.key: answers.to(p) for p in every}  # all values are right: what do they cost?
        asked = tuple(p for p in every if got[p.key] != UNSURE)
        differs = tuple(p.key for p in asked if not got[p.key].same(right.to(p)))
    if not differs:
        return Match()
    core = [p for p in asked if p.aspect == CORE]
    rest = [p for p in asked if p.aspect != CORE]
    same_core = [
        k
        for k in known(exercise, assignment)
        if all(got[p.key].same(k.answers.to(p)) for p in core)
        and all(k.answers.to(p).same(right.to(p)) for p in every if got.get(p.key) == UNSURE)
    ]
    if not same_core:
        return Match(_random(answers, core, known(exercise, assignment)), False, differs)
    whole = [k for k in same_core if all(got[p.key].same(k.answers.to(p)) for p in rest)]
    paid = [p for p in rest if p.aspect not in chapter.FREE | chapter.BESIDE]
    costly = [k for k in same_core if all(got[p.key].same(k.answers.to(p)) for p in paid)]
    if not any(p.key in differs and p.aspect not in chapter.FREE | chapter.BESIDE for p in asked):
        costly = []
    if any(p.key in differs for p in core):
        found = whole or costly or same_core
        return Match(_ids(found), bool(whole or costly), differs, _planted(found))
    if found := whole or costly:
        return Match(_ids(found), True, differs, _planted(found))
    return _part(same_core, asked, got, differs, right, chapter)


def _random(answers: Answers, core: Sequence[Probe], every: Sequence[Known]) -> tuple[str, ...]:
    """Mistakes that draw random numbers, for code that does so too. What such code answers is worth nothing
    else."""
    first = next((p for p in core if answers.to(p).form == UNSTEADY), None)
    if first is None or not _draws(answers, core, answers.student):
        return ()
    unsteady = [k for k in every if k.answers.to(first).form == UNSTEADY]
    return _ids([k for k in unsteady if _draws(k.answers, core, k.planted.student())])


def _draws(answers: Answers, core: Sequence[Probe], student: Student) -> bool:
    """Whether a new life with other random numbers answers the same questions in the same order otherwise.
    Code that only remembers its earlier calls answers as before."""
    student.fresh(chance=1)
    again = Answers(student)
    return any(not answers.to(p).same(again.to(p)) for p in core)


def _part(
    found: Sequence[Known],
    asked: Sequence[Probe],
    got: dict[str, Seen],
    differs: tuple[str, ...],
    right: Answers,
    chapter: Chapter,
) -> Match:
    """All values are right, but some other aspect is not: mistakes that explain the first such difference,
    and contradict nothing."""
    by_cost = [
        p for free in (False, True) for p in asked if p.key in differs and (p.aspect in chapter.FREE) is free
    ]
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
    costly = {p.key for p in asked if p.key in differs and p.aspect not in chapter.FREE}
    explained = set.union(*(own for _, own in fitting))
    return Match(_ids(best), costly <= explained, differs, _planted(best))


def _ids(found: Sequence[Known]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(k.planted.mistake for k in found))


def _planted(found: Sequence[Known]) -> tuple[Planted, ...]:
    return tuple(k.planted for k in found)
