"""overrides.csv beside a class: what a person has decided. The kit reads this file, and never writes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

from autograder.assignment import Assignment
from autograder.gradebook.tables import TableError, read_table

YES = {"yes", "y", "true", "1", "sim", "s", "x"}


@dataclass(frozen=True)
class Override:
    """points: of one exercise, before late work costs; with exercise "" of the whole, as it counts in the end.

    reason: shown on the student's page unless `private`; comment: words for the student; who: decided it.
    """

    student: str
    exercise: str
    points: Decimal
    reason: str
    who: str = ""
    comment: str = ""
    private: bool = False


def read_overrides(path: Path, assignment: Assignment) -> list[Override]:
    """All rows of the file; none where there is no file. Raises TableError with every row that is wrong."""
    if not path.exists():
        return []
    table = read_table(path)
    if absent := {"student", "points", "reason"} - {name.strip() for name in table.header}:
        columns = "student, exercise, points, reason, who"
        raise TableError(f"{path}: has no column `{sorted(absent)[0]}`. Its columns are: {columns}.")
    found, wrong = [], []
    for line, record in enumerate(table.records(), start=2):
        try:
            found.append(_override(record, assignment))
        except ValueError as e:
            wrong.append(f"row {line}: {e}")
    wrong += _twice(found)
    if wrong:
        raise TableError(f"{path}: " + "; ".join(wrong[:10]) + (" …" if len(wrong) > 10 else ""))
    return found


def _override(record: dict[str, str], assignment: Assignment) -> Override:
    student, exercise = record["student"], record.get("exercise", "")
    if not student:
        raise ValueError("`student` is empty")
    known = [e.id for e in assignment.exercises]
    if exercise and exercise not in known:
        raise ValueError(
            f"{exercise!r} is no exercise; name one of {', '.join(known)}, or none for the whole"
        )
    most = assignment[exercise].points if exercise else sum(e.points for e in assignment.exercises)
    try:
        points = Decimal(record["points"].replace(",", "."))
    except InvalidOperation:
        raise ValueError(f"{record['points']!r} are no points") from None
    if not points.is_finite() or not 0 <= points <= 2 * Decimal(str(most)):
        raise ValueError(f"{record['points']} points of {most:g} cannot be meant")
    if not record["reason"]:
        raise ValueError(f"no reason for {student}'s points; write one")
    private = record.get("private", "").casefold() in YES
    return Override(
        student, exercise, points, record["reason"], record.get("who", ""), record.get("comment", ""), private
    )


def _twice(found: Sequence[Override]) -> list[str]:
    seen: set[tuple[str, str]] = set()
    told = []
    for one in found:
        key = (one.student, one.exercise)
        if key in seen:
            told.append(f"{one.student} has two rows for {one.exercise or 'the whole'}; keep one")
        seen.add(key)
    return told
