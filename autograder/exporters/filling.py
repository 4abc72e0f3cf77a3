"""Filling a column of the instructor's own file: whose row is whose, what is left as it is, and what is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

from autograder.exporters.exporter import Exported, ExportError, Request, points
from autograder.exporters.people import People
from autograder.exporters.rawcsv import RawCsv, number
from autograder.gradebook.grades import StudentGrade


@dataclass
class Filling:
    """One column, filled. who: the student of a row, where people.who alone does not say it. filled: the rows
    that have been written."""

    file: RawCsv
    request: Request
    people: People
    who: Callable[[int], StudentGrade | None] | None = None
    done: Exported = field(default_factory=Exported)
    filled: dict[int, StudentGrade] = field(default_factory=dict)

    def fill(
        self,
        column: int,
        rows: Sequence[int],
        most: Callable[[int], float | None],
        refused: Callable[[int], str] = lambda row: "",
    ) -> None:
        """Writes what counts into a column. most: points possible in a row, if the file says so; refused: id of
        the message why a row is left as it is. Raises ExportError for a file of another class or assignment."""
        who = self.who or self.people.who
        matched = {row: one for row in rows if (one := who(row)) is not None}
        strangers = [row for row in rows if row not in matched]
        if not matched:
            raise ExportError(
                f"{self.file.path}: none of its {len(strangers)} people is in this class. Is it the file of "
                "another course? `students.csv` says how people are known."
            )
        comma = self.file.decimal_comma([column])
        often = Counter(one.name for one in matched.values())
        left: dict[str, list[str]] = {}
        over, changed = [], []
        for row, one in matched.items():
            why = "export.without_grade" if one.grade is None else refused(row)
            if often[one.name] > 1:
                why = "export.twice"
            if why or one.grade is None:
                left.setdefault(why, []).append(one.name)
                continue
            value, limit = self._points(one, most(row)), most(row)
            before, text = self.file.get(row, column), points(value, comma)
            if before and number(before) != number(text):
                changed.append(f"{one.name} ({before} → {text})")
            if limit is not None and float(value) > limit:
                over.append(one.name)
            self.file.set(row, column, text)
            self.filled[row] = one
        self.done.say("export.filled", n=len(self.filled), column=self.file.header()[column])
        self.done.tell("export.changed", changed)
        self.done.tell("export.over", over)
        for id, names in left.items():
            self.done.tell(id, sorted(set(names)))
        self._others(matched, strangers)

    def _others(self, matched: dict[int, StudentGrade], strangers: Sequence[int]) -> None:
        """Who is only in the file, or only in the class."""
        zeros = [row for row in strangers if self.people.nearly(row)]
        self.done.tell("export.zeros", [self.people.shown(row) for row in zeros])
        self.done.tell("export.strangers", [self.people.shown(row) for row in strangers if row not in zeros])
        here = {one.name for one in matched.values()}
        absent = [one for one in self.request.grades if one.name not in here]
        self.done.tell("export.no_row", [one.name for one in absent if one.grade is not None])
        self.done.tell("export.no_row_no_grade", [one.name for one in absent if one.grade is None])

    def _points(self, one: StudentGrade, most: float | None) -> Decimal:
        assert one.grade is not None
        final, ours = one.grade.final, one.grade.max_score
        if most is None or Decimal(str(most)) == ours:
            return final
        if not self.request.scale or not most or not ours:
            raise ExportError(
                f"{self.file.path}: {most:g} points are possible there, and {points(ours)} here. Choose the "
                "right column with --column, change the points on the platform, or convert with --scale."
            )
        return (final * Decimal(str(most)) / ours).quantize(Decimal("0.01"), ROUND_HALF_UP)


def needed(path: Path | None, what: str) -> RawCsv:
    """The instructor's file. Raises ExportError, TableError."""
    if path is None:
        raise ExportError(
            f"give {what} with --into: a copy of it is made, in which one column is filled and everything else "
            "stays as it is"
        )
    return RawCsv.read(path)


def one_column(file: RawCsv, wanted: str | None, candidates: Sequence[str], what: str) -> int:
    """The column to fill: the one that is named, in full or by how it begins, or the only one. Only one of the
    candidates: what else is in the file is not for grades. Raises ExportError."""
    header = file.header()
    there = ", ".join(repr(c) for c in candidates) or "none"
    if wanted is None and len(candidates) == 1:
        return header.index(candidates[0])
    if wanted is None:
        raise ExportError(f"{file.path}: {what} {there}. Name the one to fill with --column.")
    names = (wanted.casefold(), f"{wanted.casefold()} ")
    hits = [c for c in candidates if c.casefold() == names[0]]
    hits = hits or [c for c in candidates if c.casefold().startswith(names[1])]
    hits = hits or [c for c in candidates if c.casefold().startswith(names[0])]
    if len(hits) == 1 and header.count(hits[0]) == 1:
        return header.index(hits[0])
    raise ExportError(
        f"{file.path}: --column {wanted!r} is {len(hits)} of the columns for grades; {what} {there}."
    )


def found(header: Sequence[str], names: Sequence[str]) -> int | None:
    """The place of a column that has one of these names."""
    return next((header.index(name) for name in names if name in header), None)
