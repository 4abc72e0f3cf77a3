"""Follow-through credit: what an earlier mistake spoilt is judged again without it.

The reference takes the place of the earlier exercise (or a stub, see standins.py); what keeps a file from
loading is cut out of it.
"""

from __future__ import annotations

from dataclasses import replace

from autograder.checks.outcome import Outcome
from autograder.course import Exercise
from autograder.extract.reading import mended
from autograder.grading.attempt import Attempt
from autograder.grading.standins import stand_ins
from autograder.grading.substance import is_work
from autograder.results import Verdict

MOST_STOPS = 5  # statements that keep one file from loading; who has more of them mends them one by one


class Credited(Attempt):
    """The phase of follow-through."""

    def follow_through(self, outcomes: list[Outcome]) -> list[Outcome]:
        """Judges again what failed after an earlier exercise of the same student had failed."""
        for exercise in self.assignment.exercises:
            replaced = self.faulty_before(exercise.id, outcomes)
            outcomes = self._judged_again(exercise.id, replaced, outcomes)
            # What is only told, and takes nothing off, is not told twice either.
            every = self.faulty_before(exercise.id, outcomes, told=True)
            if every != replaced:
                outcomes = self._judged_again(exercise.id, every, outcomes, free=True)
            if exercise == self._on_sheet(exercise)[-1]:
                outcomes = self._without_what_stops(exercise.file, self._on_sheet(exercise), outcomes)
        return outcomes

    def _on_sheet(self, exercise: Exercise) -> list[Exercise]:
        return [e for e in self.assignment.exercises if e.sheet == exercise.sheet]

    def _without_what_stops(
        self, file: str, exercises: list[Exercise], outcomes: list[Outcome]
    ) -> list[Outcome]:
        """A file that does not load costs the exercise at fault, not the others in it.

        What stops it is cut out, for this and all later phases. At fault is an exercise that is not there
        without it; when that is none of them, the file's first one bears it.
        """
        stopped = {o.exercise: o for o in outcomes if _cannot_be_loaded(o) and not o.earns}
        inside = [e for e in exercises if e.id in stopped]
        if len(inside) < 2 or self._tried_our_patience:
            return outcomes
        line, own = _line(stopped[inside[0].id]), [s for e in inside for s in e.symbols]
        before, at_fault = self.files[file], inside
        for _ in range(MOST_STOPS):
            if line is None or self._tried_our_patience:
                break
            self.files[file], names = mended(self.files[file], line, own)
            at_fault = [e for e in inside if not names.issuperset(e.symbols)] or inside[:1]
            if at_fault == inside:
                break
            tried = next(stopped[e.id].id for e in inside if e not in at_fault)
            line = next((_line(o) for o in self._run({tried}) if _cannot_be_loaded(o)), None)
        if line is not None or at_fault == inside:
            self.files[file] = before
            return outcomes
        self._mended.add(file)
        for exercise in inside:
            if exercise not in at_fault:
                others = (*self.faulty_before(exercise.id, outcomes), *(e.id for e in at_fault))
                outcomes = self._judged_again(exercise.id, tuple(dict.fromkeys(others)), outcomes)
        return outcomes

    def _judged_again(
        self, exercise: str, replaced: tuple[str, ...], outcomes: list[Outcome], *, free: bool = False
    ) -> list[Outcome]:
        """With the reference in the place of other exercises. `free`: only what costs no points."""
        failing = [o for o in outcomes if o.exercise == exercise and not o.earns]
        failing = [o for o in failing if not hopeless(o) or self.stopped_before(o)]
        again = {o.id for o in failing if not free or o.max_points == 0}
        again = again if self.only is None else again & self.only
        if not replaced or not again or self._used_up(outcomes, exercise, replaced):
            return outcomes
        second = {o.id: o for o in self._run(again, stand_ins(exercise, replaced, self.assignment))}
        return [self._better(o, second[o.id], replaced) if o.id in second else o for o in outcomes]

    def _better(self, first: Outcome, second: Outcome, replaced: tuple[str, ...]) -> Outcome:
        """What is known of a test that was run again, without anything that the second run said."""
        if second.verdict is Verdict.PASSED:
            return replace(first, follow_through_of=replaced, verdict=Verdict.PASSED, message=None)
        if self.stopped_before(first) and second.verdict is Verdict.FAILED:
            return replace(first, verdict=Verdict.FAILED, message=None)  # it is wrong, not only out of reach
        return first

    def _used_up(self, outcomes: list[Outcome], exercise: str, replaced: tuple[str, ...]) -> bool:
        """Whether judging an exercise again would only wait for the same endless loop again.

        A loop in an earlier exercise may be why this one did not end; a loop of its own is not worth a
        second wait.
        """
        endless = {o.exercise for o in outcomes if o.verdict is Verdict.TIMEOUT}
        return self._tried_our_patience or (exercise in endless and not endless & set(replaced))

    def faulty_before(self, exercise: str, outcomes: list[Outcome], *, told: bool = False) -> tuple[str, ...]:
        """Earlier exercises whose own work is wrong.

        An exercise without code of its own tries earlier ones out in a larger whole: their mistakes are taken
        off already, but nothing is given for work that is not there. `told`: also those that only fail what
        costs no points.
        """
        tried = set(self.assignment[exercise].symbols)
        lost = {o.exercise for o in outcomes if not o.earns and (o.max_points > 0 or told)}
        wanted = set(self.assignment.needed_by(exercise)) | self._in_broken_files(exercise, outcomes)
        return tuple(
            e.id
            for e in self.assignment.exercises
            if e.id in wanted & lost and (not tried & set(e.symbols) or self.real_work(e.id, outcomes))
        )

    def real_work(self, exercise: str, outcomes: list[Outcome]) -> bool:
        """Whether an exercise is an attempt, be it wrong."""
        return is_work(exercise, outcomes)

    def _in_broken_files(self, exercise: str, outcomes: list[Outcome]) -> set[str]:
        """Exercises of files that do not load, where this exercise's own file imports one of them.

        An import needs the whole file, also for symbols that this exercise has no use for.
        """
        own = [o for o in outcomes if o.exercise == exercise]
        file = self.assignment[exercise].file
        stopped = any(o.message and o.message.id == "needs_file" for o in own)
        endless = file not in self._hung and any(o.verdict is Verdict.TIMEOUT for o in own)
        broken: set[str] = set()
        if stopped or endless:
            broken |= self._hung
        if stopped:
            ids = {o.exercise for o in outcomes if o.message and o.message.id.startswith("load.")}
            broken |= {self.assignment[id].file for id in ids}
        order = [e.id for e in self.assignment.exercises]
        earlier = self.assignment.exercises[: order.index(exercise)]
        return {e.id for e in earlier if e.file in broken - {file}}

    def stopped_before(self, outcome: Outcome) -> bool:
        """Whether it only says that the file could not be loaded, which by now it can."""
        return _cannot_be_loaded(outcome) and self.assignment[outcome.exercise].file in self._mended


def _cannot_be_loaded(outcome: Outcome) -> bool:
    return outcome.message is not None and outcome.message.id.startswith("load.")


def _line(outcome: Outcome) -> int | None:
    """Where loading the file stopped."""
    line = outcome.message.params.get("line") if outcome.message else None
    return line if isinstance(line, int) else None


def hopeless(outcome: Outcome) -> bool:
    """Whether no earlier exercise can be why: the exercise is not written, or its own file does not load.

    One that returns nothing may only hand on what an earlier one gave it.
    """
    message = outcome.message
    if message is None:
        return False
    return message.id == "load.syntax" or (outcome.unwritten and "returned" not in message.params)
