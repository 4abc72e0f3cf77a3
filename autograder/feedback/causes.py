"""Failing tests by what is behind them: ten tests with one cause are one block of the page, not ten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

from autograder.assignment import Assignment
from autograder.results import SubmissionResult, TestResult, Verdict

Kind = Literal["mistake", "load", "raised", "timeout", "died", "bad_reply", "unknown"]
Status = Literal["right", "fix", "again", "not_written", "waiting"]

BLEMISH = 0.25  # of an exercise's points: what costs less holds up nothing after it


@dataclass(frozen=True)
class Cause:
    """Tests that fail for one reason. `exercises` in the chapter's order; the first is where it is shown."""

    kind: Kind
    exercises: tuple[str, ...]
    tests: tuple[TestResult, ...]

    @property
    def points(self) -> float:
        """Points that the tests are worth."""
        return sum(t.max_points - t.points for t in self.tests)

    @property
    def tip(self) -> bool:
        """Worth knowing, but costs nothing: tests of 0 points only."""
        return all(t.max_points == 0 for t in self.tests)


def missed(test: TestResult) -> bool:
    """Whether points are missing here and it is the student's to change."""
    return not (test.verdict.earns or test.follow_through)


def not_written(test: TestResult) -> bool:
    """Whether the exercise is simply not there yet."""
    return test.message is not None and test.message.id == "not_written"


def without_substance(test: TestResult) -> bool:
    """Whether it only counts together with results of its own exercise that are missing."""
    return test.message is not None and test.message.id == "needs_substance"


def again(test: TestResult, assignment: Assignment) -> bool:
    """Whether a credited test fails by the exercise's own code, which repeats an earlier mistake.

    An exercise without code of its own only shows the mistake of the earlier ones.
    """
    if not (test.follow_through and test.mistakes):
        return False
    symbols = {e.id: set(e.symbols) for e in assignment.exercises}
    earlier = set().union(*(symbols.get(e, set()) for e in test.follow_through_of))
    return not symbols.get(test.exercise, set()) & earlier


def status(tests: Sequence[TestResult], assignment: Assignment) -> Status:
    """What one exercise's tests come to."""
    open_tests = [t for t in tests if missed(t) and t.max_points > 0]
    if not open_tests:
        return "again" if any(again(t, assignment) and t.max_points > 0 for t in tests) else "right"
    if all(not_written(t) for t in open_tests):
        return "not_written"
    if all(t.verdict is Verdict.SKIPPED for t in open_tests):
        return "waiting"
    if all(t.verdict is Verdict.SKIPPED or not_written(t) for t in open_tests):
        return "not_written"
    return "fix"


def causes(result: SubmissionResult, assignment: Assignment) -> list[Cause]:
    """Reasons for missed points, in the chapter's order; without what is not written or waits."""
    order = {e.id: i for i, e in enumerate(assignment.exercises)}
    groups: dict[tuple[Kind | str, ...], list[TestResult]] = {}
    for test in sorted(result.tests, key=lambda t: order.get(t.exercise, len(order))):
        if missed(test) and test.verdict is not Verdict.SKIPPED and not not_written(test):
            groups.setdefault(_key(test), []).append(test)
    for test in result.tests:
        own = [g for g in groups.values() if any(t.exercise == test.exercise for t in g)]
        if own and missed(test) and without_substance(test):  # lost for the same reason as what it hangs on
            max(own, key=lambda group: sum(t.max_points for t in group)).append(test)
    found: list[Cause] = []
    for key, tests in groups.items():
        cause = Cause(cast(Kind, key[0]), tuple(dict.fromkeys(t.exercise for t in tests)), tuple(tests))
        before = _same_symbol(cause, found, assignment)
        if before is None:
            found.append(cause)
        else:
            exercises = tuple(dict.fromkeys((*before.exercises, *cause.exercises)))
            found[found.index(before)] = replace(
                before, exercises=exercises, tests=before.tests + cause.tests
            )
    return found


def _same_symbol(cause: Cause, found: Sequence[Cause], assignment: Assignment) -> Cause | None:
    """An earlier cause in the very symbol that this exercise tries out again in a larger whole."""
    if cause.kind != "unknown" or cause.exercises[0] not in {e.id for e in assignment.exercises}:
        return None
    tried = set(assignment[cause.exercises[0]].symbols)
    return next((c for c in found if set(assignment[c.exercises[0]].symbols) < tried), None)


def first(found: Sequence[Cause], result: SubmissionResult, assignment: Assignment) -> Cause | None:
    """The one to look at first: a file that cannot be loaded; else what most missing points stand on."""
    found = [c for c in found if not c.tip]
    if not found:
        return None
    ids = {e.id for e in assignment.exercises}
    missing = {e: sum(t.max_points - t.points for t in result.tests if t.exercise == e) for e in ids}

    def weight(cause: Cause) -> float:
        home = cause.exercises[0]
        if home not in ids or cause.points < BLEMISH * assignment[home].points:
            return cause.points
        return cause.points + sum(
            missing[e] for e in ids - {*cause.exercises} if home in assignment.needed_by(e)
        )

    loads = [c for c in found if c.kind == "load"]
    return max(loads or found, key=weight)  # max takes the first of equals: the chapter's order


def _key(test: TestResult) -> tuple[Kind | str, ...]:
    """Tests with the same key have the same cause; the first part is its kind."""
    id = test.message.id if test.message else ""
    params = test.message.params if test.message else {}
    file, line = str(params.get("file") or ""), str(params.get("line"))
    if id.startswith("load."):
        return ("load", file)
    if test.mistakes:
        return ("mistake", *sorted(test.mistakes))
    if id == "raised":
        return ("raised", str(params.get("kind")), file, line, "" if file else test.exercise)
    if id.startswith("timeout."):
        return ("timeout", test.exercise)
    if id.startswith("died."):
        return ("died", test.exercise, id)
    if id == "bad_reply":
        return ("bad_reply", test.exercise)
    return ("unknown", test.exercise)
