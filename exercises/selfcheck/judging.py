"""What comes of each test, in pytest and in a notebook alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from exercises.selfcheck.calls import Attempt
from exercises.selfcheck.chapter import BY_ID, FILE_OF, MODULES, OWNER, place
from exercises.selfcheck.loading import Code
from exercises.selfcheck.progress import Result, judged
from exercises.selfcheck.trouble import Raised, Trouble, Waiting


class Run:
    """Tests of the student's code, one after the other in the order of the chapter."""

    def __init__(self, code: Code, seconds: float, give_up: Callable[[str], None]) -> None:
        self.results: list[Result] = []
        self._code, self._seconds, self._give_up = code, seconds, give_up
        self._endless: set[str] = set()

    def attempt(self) -> Attempt:
        """The watched calls of a new test."""
        return Attempt(self._code, self._seconds, self._give_up, self._endless, self.wait_for)

    def wait_for(self, exercise: str) -> None:
        """Raises Waiting when, in this run, that exercise was not right."""
        if any(r.exercise == exercise and r.outcome != "passed" for r in self.results):
            raise Waiting(exercise)

    def ended(
        self,
        test: str,
        exercise: str,
        wants: Iterable[str],
        attempt: Attempt,
        error: Exception | None,
        printed: str = "",
    ) -> Result:
        """Keeps what came of a test that asked for the fixtures `wants` and ended in `error`, or in none."""
        uses = set(wants) & set(FILE_OF)
        outcome, trouble = "passed", self._no_refusal(exercise, attempt)
        if error is not None:
            trouble = error if isinstance(error, Trouble) else None
            trouble = trouble or Raised("raised.test", type(error).__name__, str(error))
        if trouble is not None:
            outcome, trouble = self._after_what_it_uses(exercise, uses, *judged(exercise, trouble))
        result = Result(
            test, exercise, outcome, trouble, attempt.given, printed, attempt.cases, attempt.advice
        )
        others = uses - set(BY_ID[exercise].symbols)
        result.beside = isinstance(trouble, Waiting) and trouble.symbol in others
        self.results.append(result)
        return result

    def _after_what_it_uses(
        self, exercise: str, uses: set[str], outcome: str, trouble: Trouble
    ) -> tuple[str, Trouble]:
        """A test that calls two functions waits until the earlier one is right."""
        called = uses - {*BY_ID[exercise].symbols, *MODULES}  # a module is only made there, not called
        wrong = {r.exercise for r in self.results if r.outcome != "passed"}
        unready = [symbol for symbol in called if OWNER[symbol] in wrong]
        if outcome == "wrong" and unready:
            return "waiting", Waiting(min(unready, key=place))
        return outcome, trouble

    def _no_refusal(self, exercise: str, attempt: Attempt) -> Trouble | None:
        """The error that was taken for a refusal of the input, when every test before has ended in it, too."""
        before = [r.trouble for r in self.results if r.exercise == exercise]
        for error in attempt.refusals if before else []:
            same = [isinstance(t, Raised) and (t.kind, t.place) == (error.kind, error.place) for t in before]
            if all(same):
                return error
        return None
