"""One submission in the sandbox, phase after phase: its files, what it may still use, what hangs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from autograder.assignment import Assignment
from autograder.checks.outcome import Outcome
from autograder.checks.runner import run
from autograder.grading.standins import NOBODY, StandIns
from autograder.intake.submission import Submission
from autograder.results import Flag
from autograder.sandbox import BaseStudent, Host, reference_files, reference_for, stubs_for
from autograder.sandbox.patience import Patience


@dataclass
class Attempt:
    """What all phases share. `only`: ids of tests, when not all are to be run now."""

    submission: Submission
    assignment: Assignment
    host: Host
    timing: bool = True
    only: frozenset[str] | None = None

    def __post_init__(self) -> None:
        # A missing file is the unwritten exercise, so the stub stands in for it.
        # What the student's own files import comes with them.
        stubs = {name: stub.encode() for name, stub in self.assignment.stubs.items()}
        self.files = stubs | dict(self.submission.files)
        self.flags: list[Flag] = []
        limit = self.assignment.limits.submission_wall_seconds
        self._patience = Patience(limit, self.submission.seconds)
        self._hung: set[str] = set()  # files whose loading does not end
        self._mended: set[str] = set()  # files without what kept them from loading
        self._hung_anyway: set[str] = set()  # nor with the reference in earlier exercises' place

    def _run(self, only: Collection[str] | None, replaced: StandIns = NOBODY) -> list[Outcome]:
        student = self.student(replaced)
        references: list[BaseStudent] = []

        def reference() -> BaseStudent:
            if not references:
                references.append(self.host.student(reference_files(self.assignment)))
            return references[0]

        try:
            return run(self.assignment, student, reference, only=only, timing=self.timing)
        finally:
            if replaced == NOBODY:
                self.flags += student.flags
            self._done_with(student, replaced)
            for one in references:
                one.close()

    def student(self, replaced: StandIns) -> BaseStudent:
        """The submission in the sandbox, other code in the place of some symbols.

        It may use what is left for all phases together. A file that never loads is not waited for again,
        except once with the reference in the place of what it may hang on.
        """
        return self.host.student(
            self.files,
            replace=self._stand_ins(replaced),
            limits=self.assignment.limits,
            patience=self._patience,
            hung=self._hung
            if replaced == NOBODY
            else self._hung_anyway | self._hung & self._files_of(replaced.symbols),
        )

    def _stand_ins(self, replaced: StandIns) -> dict[str, bytes]:
        right = reference_for(replaced.right, self.assignment)
        return {**right, **stubs_for(replaced.stubs, self.assignment)}

    def _done_with(self, student: BaseStudent, replaced: StandIns) -> None:
        """Ends it, and remembers what did not end."""
        if replaced == NOBODY:
            self._hung |= student.hung_files
        else:
            self._hung_anyway |= student.hung_files - self._files_of(replaced.symbols)
        student.close()

    def _files_of(self, symbols: Collection[str]) -> set[str]:
        return {self.assignment.symbols[symbol] for symbol in symbols}

    @property
    def spent(self) -> float:
        """Seconds that the submission has worked, or kept us waiting."""
        return self._patience.spent

    @property
    def _tried_our_patience(self) -> bool:
        """Right code takes a second or two; who has had a minute is not judged again in later phases."""
        return self._patience.used_up
