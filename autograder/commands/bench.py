"""autograder bench: how fast this kit grades here, as ratios measured in one run."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import torch
import typer
from rich import box
from rich.table import Table

from autograder.assignment import load_assignment
from autograder.batch.pool import cores
from autograder.batch.run import NotIsolated
from autograder.commands.errors import errors_in_words
from autograder.commands.options import Course, Lang
from autograder.commands.screen import console
from autograder.feedback.texts import Texts, texts

if TYPE_CHECKING:
    from autograder.bench import Measured


def bench(
    nbgrader: Annotated[
        bool, typer.Option("--nbgrader", help="Also beside nbgrader's own autograde, on the same notebooks.")
    ] = False,
    students: Annotated[
        bool, typer.Option("--students", help="Instead: what a student waits for, on untouched stubs.")
    ] = False,
    lang: Lang = None,
    course: Course = None,
) -> None:
    """Measure how many submissions a minute, and what the sandbox costs. Takes some minutes."""
    with errors_in_words():
        from autograder.bench import beside_nbgrader, for_students, grading
        from autograder.sandbox import NoIsolation

        assignment = load_assignment(course)
        say = texts(assignment.language(lang), assignment)
        lines: list[Measured] = []

        def note(found: Iterator[Measured]) -> None:
            for line in found:
                lines.append(line)
                status.update(say("bench.measuring", last=say(f"bench.{line.id}")))

        out = console()
        try:
            with out.status(say("bench.begins")) as status:
                if students:
                    note(for_students(assignment))
                else:
                    note(grading(assignment, course))
                if nbgrader:
                    note(beside_nbgrader(assignment, course))
        except NoIsolation as e:
            raise NotIsolated(str(e)) from None
        out.print(_table(lines, say))
        version = {"python": platform.python_version(), "torch": torch.__version__}
        out.print(say("bench.machine", cores=cores(), system=platform.platform(terse=True), **version))


def _table(lines: list[Measured], say: Texts) -> Table:
    """One line for each; CPU and ratio where they mean something."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("what", "value", "cpu", "ratio"):
        table.add_column(say(f"bench.column.{name}"), justify="left" if name == "what" else "right")
    for line in lines:
        a_minute = line.id.startswith("a_minute")
        value = say(
            "bench.value_a_minute" if a_minute else "bench.value",
            n=say.number(line.value, 0 if a_minute else 2),
        )
        cpu = "" if line.cpu is None else say.number(line.cpu, 2)
        what = say(f"bench.{line.id}")
        ratio = (
            ""
            if line.ratio is None
            else say("bench.times", n=say.number(line.ratio, 1), to=say(f"bench.{line.to}"))
        )
        table.add_row(what, value, cpu, ratio)
    return table
