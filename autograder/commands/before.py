"""The grades as they were last written, and what is different now: for whom, from what to what, and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.commands.closing import names
from autograder.commands.outcome import told_of
from autograder.course import Language
from autograder.feedback.safe import visible
from autograder.feedback.texts import Texts
from autograder.gradebook.grades import StudentGrade
from autograder.gradebook.record import read_record
from autograder.gradebook.table import COLUMNS, cells
from autograder.gradebook.tables import TableError, read_table, safe

MOST = 60  # students that are shown; --json has all
NUMBERS = [name for name in COLUMNS if name not in ("student", "problems")]


@dataclass(frozen=True)
class AsWritten:
    """rows: name as grades.csv has it -> its cells. told: name -> sentences of the page. lang: of the pages.
    course: as run.json names it, "" where there is no run.json."""

    rows: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    told: Mapping[str, Sequence[str]] = field(default_factory=dict)
    lang: Language | None = None
    course: str | None = ""

    @classmethod
    def read(cls, out: Path) -> Self:
        """grades.csv and run.json of a folder of results; nothing of what cannot be read."""
        record = read_record(out)
        try:
            rows = {row.get("student", ""): row for row in read_table(out / "grades.csv").records()}
        except TableError:
            rows = {}
        return cls(rows, record.told, record.lang, record.course) if record else cls(rows)

    @property
    def finals(self) -> dict[str, str]:
        """Name as grades.csv has it -> what counted; "" is no grade."""
        return {name: row.get("final", "") for name, row in self.rows.items()}

    def gone(self, found: Sequence[StudentGrade]) -> list[str]:
        """Who has a row there and none any more."""
        return sorted(self.rows.keys() - {safe(one.name) for one in found})


@dataclass(frozen=True)
class Changed:
    """One student. before, after: what counts, "" where nothing does; why: sentences; gone: those that held
    before."""

    now: StudentGrade
    before: str
    after: str
    why: tuple[str, ...]
    gone: tuple[str, ...]


def changed_grades(found: Sequence[StudentGrade], before: AsWritten, say: Texts) -> list[Changed]:
    """Those of whom any number of grades.csv is different, or what the page says of the grade."""
    told = told_of(found, say)
    changed = []
    for one in found:
        old, new = before.rows.get(safe(one.name), {}), cells(one, say.assignment)
        said, says = before.told.get(one.name, ()), told.get(one.name, [])
        other = any(old.get(name, "") != new[name] for name in (*NUMBERS, *_exercises(say)))
        if other or (list(said) != says and before.lang == say.lang):
            gone = tuple(s for s in said if s not in says) if before.lang == say.lang else ()
            changed.append(Changed(one, old.get("final", ""), new["final"], tuple(says), gone))
    return changed


def other_finals(
    found: Sequence[StudentGrade], before: AsWritten, names: Collection[str], say: Texts
) -> list[Changed]:
    """Those of `names` for whom something else counts than before, by rules or decisions alone."""
    changed = changed_grades(found, before, say) if before.rows else []
    return [one for one in changed if one.now.name in names and one.before != one.after]


def show_other_course(out: Console, before: str | None, now: str | None, say: Texts) -> None:
    """Says so where a class was graded by another course.toml the last time: it may have been forgotten."""
    if before not in ("", now):
        out.print(Text(say("screen.other_course", before=before or "course.toml"), style="yellow"))


def show_changed(out: Console, changed: Sequence[Changed], gone: Sequence[str], say: Texts) -> None:
    """Prints them."""
    if gone:
        out.print(Text(say("screen.gone", names=names(gone)), style="yellow"))
    if not changed:
        out.print(Text(say("screen.no_change")))
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column(say("screen.column.student"), no_wrap=True, max_width=30)
    table.add_column(say("screen.column.before"), justify="right", no_wrap=True)
    table.add_column(say("screen.column.now"), justify="right", no_wrap=True)
    table.add_column(say("screen.column.why"), ratio=1)
    for one in changed[:MOST]:
        lines = [*one.why, *(say("screen.no_longer", text=text) for text in one.gone)]
        why = Text(visible("\n".join(lines), lines=True))
        table.add_row(Text(visible(one.now.name)), one.before or "–", one.after or "–", why)
    out.print(table)
    if changed[MOST:]:
        out.print(Text(say("screen.more_students", n=len(changed) - MOST)))


def _exercises(say: Texts) -> list[str]:
    return [e.id for e in say.assignment.exercises]
