"""What people see in the terminal: a calm progress bar, or plain lines when the output goes elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
from rich.status import Status
from rich.text import Text

from autograder.batch.rows import Row
from autograder.feedback.texts import Texts
from autograder.results import SubmissionResult

PIPE_WIDTH = 120  # columns, where there is no window to fit into


def console(*, stderr: bool = False) -> Console:
    """The terminal, or a pipe."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PIPE_WIDTH
    return Console(stderr=stderr, highlight=False, width=width)


class Screen:
    """Shows how far the grading is (a batch `Listener`)."""

    def __init__(self, out: Console, jobs: int, say: Texts) -> None:
        self.out, self.jobs, self.say = out, jobs, say
        self._count = self._todo = 0
        self._bar: Progress | None = None
        self._reading: Status | None = None

    def reads(self, n: int) -> None:
        """Says so as long as it lasts; a file needs no such line."""
        if self.out.is_terminal:
            self._reading = self.out.status(escape(self.say("screen.reading", n=n)))
            self._reading.start()

    def begins(self, todo: int, kept: int, others: Sequence[str]) -> None:
        """Says what is about to be done."""
        self._read()
        self._todo = todo
        if others:
            names = ", ".join(others[:5]) + (" …" if len(others) > 5 else "")
            self.out.print(escape(self.say("screen.others", names=names)))
        if not todo:
            self.out.print(self.say("screen.nothing_new", n=kept))
            return
        at_once = min(self.jobs, todo)
        parts = [self.say("screen.grading", n=todo)]
        parts += [self.say("screen.at_a_time", n=at_once)] * (at_once > 1)
        parts += [self.say("screen.unchanged", n=kept)] * bool(kept)
        self.out.print("".join(parts) + ".")
        if self.out.is_terminal:
            columns = (
                BarColumn(bar_width=30),
                MofNCompleteColumn(),
                _Left(self.jobs, self.say),
                TextColumn("{task.fields[last]}"),
            )
            self._bar = Progress(*columns, console=self.out, transient=True)
            self._bar.add_task("grading", total=todo, last=f"[dim]{self.say('screen.starting')}")
            self._bar.start()

    def _read(self) -> None:
        if self._reading is not None:
            self._reading.stop()

    def waits(self) -> None:
        """The bar redraws itself."""

    def written(self, result: SubmissionResult, folder: Path, replaced: SubmissionResult | None) -> None:
        """Not shown."""

    def done(self, row: Row) -> None:
        """One more."""
        self._count += 1
        score = (
            self.say.points(row.result.score) if row.result and row.graded else self.say("screen.no_grade")
        )
        if self._bar is not None:
            self._bar.update(
                self._bar.task_ids[0], advance=1, last=f"[dim]{escape(row.student[:24])}[/dim] {score}"
            )
        else:
            width = len(str(self._todo))
            self.out.print(
                f"{self._count:>{width}}/{self._todo}  {escape(row.student)}  {score}", soft_wrap=True
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._read()
        if self._bar is not None:
            self._bar.stop()


class _Left(ProgressColumn):
    """Time that is left, from the mean so far; none is guessed before every judge has come back once."""

    def __init__(self, jobs: int, say: Texts) -> None:
        super().__init__()
        self.jobs, self.say, self.began = jobs, say, time.monotonic()

    def render(self, task: Task) -> Text:
        """about 2 min left"""
        if task.completed < min(self.jobs, (task.total or 0)) or not task.completed:
            return Text("")
        each = (time.monotonic() - self.began) / task.completed
        left = _duration(each * ((task.total or 0) - task.completed), self.say)
        return Text(self.say("screen.left", time=left), style="dim")


def _duration(seconds: float, say: Texts) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{say.number(seconds / 3600, 1)} h"
