"""grades.csv: one line per submission, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autograder.assignment import Assignment
from autograder.gradebook.policy import grade_of
from autograder.results import SubmissionResult

COLUMNS = ("student", "score", "max_score", "late_days", "penalty", "final", "problems")
# A cell that begins like this is a formula to a spreadsheet, also after a separator it may split at.
_FORMULA = re.compile(r"(^|[;,|\t\n\r\"])(\s*)(?=[=+\-@＝＋－＠])")


@dataclass(frozen=True)
class Line:
    """One student; `result` is None when there is no grade, and `problems` then says why."""

    student: str
    result: SubmissionResult | None
    problems: str = ""
    late_seconds: float | None = None


def grades_csv(lines: Iterable[Line], assignment: Assignment) -> str:
    """The whole file. Without a grade the cells are empty: a person decides, not a zero."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*COLUMNS, *(e.id for e in assignment.exercises)])
    for line in lines:
        writer.writerow([safe(cell) for cell in _cells(line, assignment)])
    return out.getvalue()


def safe(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: an apostrophe goes before what would begin one."""
    return cell if _is_number(cell) else _FORMULA.sub(r"\1\2'", cell)


def _cells(line: Line, assignment: Assignment) -> Sequence[str]:
    result = line.result
    if result is None:
        empty = [""] * (len(COLUMNS) - 2)
        return [line.student, *empty, line.problems, *("" for _ in assignment.exercises)]
    grade = grade_of(result, line.late_seconds)
    return [
        line.student,
        _number(grade.score),
        _number(result.max_score),
        "" if grade.late_days is None else str(grade.late_days),
        _number(grade.penalty),
        _number(grade.final),
        line.problems,
        *(_number(result.points_of(e.id)) for e in assignment.exercises),
    ]


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)?", cell) is not None
