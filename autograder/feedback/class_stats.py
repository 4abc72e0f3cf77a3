"""The numbers of the class page, out of many results. Knows nothing of pages or languages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Literal

from autograder.assignment import Assignment
from autograder.feedback.causes import missed, not_written
from autograder.results import Flag, Problem, SubmissionResult, TestResult, Verdict

BINS = 10  # of the distribution, each 10 % wide; full marks have their own
Undefined = Literal["few", "same_item", "same_rest"]
FEWEST = 5  # submissions for a correlation that means anything


@dataclass(frozen=True)
class Item:
    """One hidden test over the class. Verdicts that are ours (fault, not measured) are left out."""

    id: str
    exercise: str
    sample: TestResult  # for its texts
    judged: int
    right: int  # by itself
    credited: int  # given by follow-through
    discrimination: float | None  # correlation of this test's points with the points of all others
    undefined: Undefined | None  # why there is none
    seconds: float  # median
    missed: tuple[str, ...] = ()  # who does not pass by themselves

    @property
    def share(self) -> float:
        """Of those judged, how many are right by themselves."""
        return self.right / self.judged if self.judged else 0.0


@dataclass(frozen=True)
class Group:
    """Students who have something in common."""

    key: tuple[str, ...]
    students: tuple[str, ...]
    sample: TestResult
    costs: bool  # anybody points


@dataclass(frozen=True)
class Stats:
    """Everything that is counted."""

    scores: tuple[float, ...]  # percent; of those who have a grade
    without: int  # submissions that have none
    bins: tuple[int, ...]  # 0–9, 10–19 … 90–99, 100 %
    items: tuple[Item, ...]
    mistakes: tuple[Group, ...]  # key: the mistakes' ids; several are indistinguishable
    clusters: tuple[Group, ...]  # the same unexplained output, at least two students
    alone: int  # unexplained outputs that only one student has
    faults: tuple[tuple[str, TestResult], ...]
    undecided: tuple[tuple[str, TestResult], ...]
    flags: tuple[tuple[str, Flag], ...]
    problems: tuple[tuple[str, Problem], ...]
    empty: tuple[tuple[str, Problem], ...]  # nothing handed in

    outputs: Mapping[str, frozenset[str]]  # student -> what tells their unexplained outputs apart

    @property
    def mean(self) -> float:
        """Mean score in percent."""
        return fmean(self.scores) if self.scores else 0.0

    @property
    def median(self) -> float:
        """Median score in percent."""
        return median(self.scores) if self.scores else 0.0


def class_stats(results: Sequence[SubmissionResult], assignment: Assignment) -> Stats:
    """Counts everything. `results`: one per student, in the order in which students shall be listed."""
    scores = tuple(percent(r) for r in results if r.graded)
    bins = [0] * (BINS + 1)
    for score in scores:
        bins[min(int(score / 100 * BINS + 1e-9), BINS)] += 1
    unexplained = _groups(results, _output)
    return Stats(
        scores=scores,
        without=len(results) - len(scores),
        bins=tuple(bins),
        items=tuple(_items(results, assignment)),
        mistakes=tuple(_groups(results, _mistakes)),
        clusters=tuple(g for g in unexplained if len(g.students) > 1),
        alone=sum(len(g.students) == 1 for g in unexplained),
        faults=tuple(_with(results, Verdict.GRADER_FAULT)),
        undecided=tuple(_with(results, Verdict.NOT_MEASURED)),
        flags=tuple((r.student, f) for r in results for f in r.flags if not f.id.endswith("not_measured")),
        outputs={r.student: frozenset("\0".join(k) for t in r.tests if (k := _output(t))) for r in results},
        problems=tuple((r.student, p) for r in results for p in r.problems if not p.nothing_handed_in),
        empty=tuple((r.student, p) for r in results for p in r.problems if p.nothing_handed_in),
    )


def percent(result: SubmissionResult) -> float:
    """Score in percent of what could be had."""
    return 100 * result.score / result.max_score if result.max_score else 0.0


def correlation(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Pearson's; None when one side does not vary."""
    mx, my = fmean(xs), fmean(ys)
    dx, dy = [x - mx for x in xs], [y - my for y in ys]
    spread = math.sqrt(math.fsum(d * d for d in dx) * math.fsum(d * d for d in dy))
    if spread < 1e-12:
        return None
    return max(-1.0, min(1.0, math.fsum(a * b for a, b in zip(dx, dy, strict=True)) / spread))


def _items(results: Sequence[SubmissionResult], assignment: Assignment) -> Iterable[Item]:
    found: dict[str, list[tuple[SubmissionResult, TestResult]]] = {}
    for result in results:
        for test in result.tests:
            found.setdefault(test.id, []).append((result, test))
    order = {e.id: i for i, e in enumerate(assignment.exercises)}
    for id, pairs in sorted(found.items(), key=lambda item: order.get(item[1][0][1].exercise, len(order))):
        judged = [(r, t) for r, t in pairs if t.verdict not in (Verdict.GRADER_FAULT, Verdict.NOT_MEASURED)]
        if not judged:
            continue
        got = [float(t.verdict is Verdict.PASSED and not t.follow_through) for _, t in judged]
        rest = [r.score - t.points for r, t in judged]
        value, why = _discrimination(got, rest)
        yield Item(
            id=id,
            exercise=pairs[0][1].exercise,
            sample=pairs[0][1],
            judged=len(judged),
            right=int(sum(got)),
            credited=sum(t.follow_through for _, t in judged),
            discrimination=value,
            undefined=why,
            seconds=median(t.seconds for _, t in pairs),
            missed=tuple(r.student for (r, _), g in zip(judged, got, strict=True) if not g),
        )


def _discrimination(got: list[float], rest: list[float]) -> tuple[float | None, Undefined | None]:
    if len(got) < FEWEST:
        return None, "few"
    if len(set(got)) == 1:
        return None, "same_item"
    value = correlation(got, rest)
    return value, None if value is not None else "same_rest"


def _groups(
    results: Sequence[SubmissionResult], key_of: Callable[[TestResult], tuple[str, ...]]
) -> list[Group]:
    """Students by key, the largest group first. A student counts once per key."""
    found: dict[tuple[str, ...], dict[str, TestResult]] = {}
    costs: set[tuple[str, ...]] = set()
    for result in results:
        for test in result.tests:
            key = key_of(test)
            if key:
                if test.points < test.max_points:
                    costs.add(key)
                found.setdefault(key, {}).setdefault(result.student, test)
    groups = [Group(key, tuple(who), next(iter(who.values())), key in costs) for key, who in found.items()]
    return sorted(groups, key=lambda g: -len(g.students))  # stable: equals keep the chapter's order


def _mistakes(test: TestResult) -> tuple[str, ...]:
    return tuple(sorted(test.mistakes))


def _output(test: TestResult) -> tuple[str, ...]:
    """What identifies an unexplained wrong output: its fingerprint, or the error it ended with."""
    if not missed(test) or test.mistakes or not_written(test) or test.verdict is Verdict.SKIPPED:
        return ()
    if test.fingerprint:
        return (test.exercise, test.fingerprint)
    if test.message and test.message.id == "raised":
        return (test.exercise, *(str(test.message.params.get(k, "")) for k in ("kind", "text")))
    return ()


def _with(results: Sequence[SubmissionResult], verdict: Verdict) -> Iterable[tuple[str, TestResult]]:
    return ((r.student, t) for r in results for t in r.tests if t.verdict is verdict)
