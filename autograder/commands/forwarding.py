"""A listener that passes everything on to another one: for listeners that mind one thing only."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from autograder.batch.rows import Row
from autograder.batch.run import Listener
from autograder.results import SubmissionResult


class ForwardingListener:
    """See Listener."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener

    def reads(self, n: int) -> None:
        """See Listener."""
        self.listener.reads(n)

    def begins(self, todo: int, kept: int, others: Sequence[str]) -> None:
        """See Listener."""
        self.listener.begins(todo, kept, others)

    def waits(self) -> None:
        """See Listener."""
        self.listener.waits()

    def written(self, result: SubmissionResult, folder: Path, replaced: SubmissionResult | None) -> None:
        """See Listener."""
        self.listener.written(result, folder, replaced)

    def done(self, row: Row) -> None:
        """See Listener."""
        self.listener.done(row)
