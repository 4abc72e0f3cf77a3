"""Who was graded again although they handed in the same, and what has come of it."""

from __future__ import annotations

from pathlib import Path

from autograder.batch.run import Listener
from autograder.commands.forwarding import ForwardingListener
from autograder.gradebook.changes import CAUSES, Change, change, differing
from autograder.results import SubmissionResult


class Regraded(ForwardingListener):
    """`count` of them, `changes` of those whose points differ, `causes`: which of CAUSES differ for any."""

    def __init__(self, listener: Listener) -> None:
        super().__init__(listener)
        self.count = 0
        self.changes: list[Change] = []
        self._causes: set[str] = set()

    @property
    def causes(self) -> list[str]:
        """In the order of CAUSES."""
        return [cause for cause in CAUSES if cause in self._causes]

    def written(self, result: SubmissionResult, folder: Path, replaced: SubmissionResult | None) -> None:
        """See Listener."""
        super().written(result, folder, replaced)
        causes = () if replaced is None else differing(replaced.kit, result.kit)
        if replaced is None or not causes or "submission" in causes:
            return
        self.count += 1
        self._causes.update(causes)
        if found := change(result.student, replaced, result):
            self.changes.append(found)
