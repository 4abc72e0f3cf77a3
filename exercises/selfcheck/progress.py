"""Where the student is: the state of each exercise, from the tests that were run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from exercises.selfcheck.chapter import BY_ID, EXERCISES, OWNER, Exercise, all_tests, needed_by, place
from exercises.selfcheck.trouble import FileTrouble, Given, NotWritten, Trouble, Waiting


@dataclass
class Result:
    """One test that was run."""

    test: str  # "norm/each_token_by_itself"
    exercise: str
    outcome: str  # "passed", "wrong", "not written", "waiting", "not tried"
    trouble: Trouble | None = None
    given: Given | None = None
    printed: str = ""
    cases: Mapping[str, Any] = field(default_factory=dict)
    advice: list[tuple[str, dict[str, object]]] = field(default_factory=list)
    beside: bool = False  # it waits for another exercise that the test itself calls, not the student's code


@dataclass
class Standing:
    """One exercise: its state, and the results it comes from."""

    exercise: Exercise
    state: str  # "done", "part", "wrong", "not written", "waiting", "not tried"
    results: list[Result]
    waits_for: str = ""  # symbol or file that comes first

    @property
    def passed(self) -> int:
        """Number of its tests that passed."""
        return sum(r.outcome == "passed" for r in self.results)

    @property
    def returns_nothing(self) -> bool:
        """It is not written, and not the stub either: something like `pass` stands there."""
        why = [r.trouble.key for r in self.results if isinstance(r.trouble, NotWritten)]
        return self.state == "not written" and bool(why) and "ui.not_written" not in why

    @property
    def first_wrong(self) -> Result | None:
        """Its most telling test that is not right: each call that was seen tells more than numbers."""
        wrong = [r for r in self.results if r.outcome == "wrong"]
        return min(wrong, key=lambda r: "calls" not in r.trouble.params if r.trouble else True, default=None)


def judged(exercise: str, trouble: Trouble) -> tuple[str, Trouble]:
    """The outcome of a test that ended in `trouble`: what an earlier exercise lacks is waited for."""
    if isinstance(trouble, NotWritten):
        own = OWNER.get(trouble.symbol, exercise) == exercise
        return ("not written", trouble) if own else ("waiting", Waiting(trouble.symbol))
    if isinstance(trouble, FileTrouble):
        own_file = bool(BY_ID[exercise].symbols) and trouble.file == BY_ID[exercise].file
        symbol = trouble.params.get("symbol")
        if not own_file or (symbol is not None and symbol not in BY_ID[exercise].symbols):
            return "waiting", Waiting(str(symbol or trouble.file))
    return trouble.outcome, trouble


def standings(results: list[Result]) -> list[Standing]:
    """All exercises in the chapter's order."""
    ran = {r.test for r in results}
    left_out = Counter(exercise for test, exercise in all_tests().items() if test not in ran)
    found = [_standing(e, [r for r in results if r.exercise == e.id], left_out[e.id]) for e in EXERCISES]
    states = {s.exercise.id: s.state for s in found}
    for standing in found:
        if standing.state == "wrong":
            before = [n for n in needed_by(standing.exercise.id) if states[n] in ("wrong", "not written")]
            standing.waits_for = before[0] if before else ""
    return found


def _standing(exercise: Exercise, results: list[Result], left_out: int) -> Standing:
    telling = [r for r in results if not r.beside] or results  # what says something of this exercise
    outcomes = {r.outcome for r in telling}
    waiting = [r.trouble.symbol for r in telling if isinstance(r.trouble, Waiting)]
    waits_for = min(waiting, key=place) if waiting else ""
    for state in ("wrong", "not written", "waiting", "not tried"):
        if state in outcomes:
            return Standing(exercise, state, results, waits_for)
    if not results:
        return Standing(exercise, "not tried", results)
    return Standing(exercise, "part" if left_out else "done", results)


def current(found: list[Standing]) -> Standing | None:
    """The exercise the student is at: what is wrong by itself, before what is not written yet or has to wait."""
    by_itself = [s for s in found if s.state == "wrong" and not s.waits_for]
    rest = [s for state in (("wrong", "not written"), ("waiting",)) for s in found if s.state in state]
    return next(iter(by_itself + rest), None)
