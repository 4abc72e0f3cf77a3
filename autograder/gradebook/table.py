"""grades.csv: one line per student, safe to open in a spreadsheet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

from autograder.assignment import Assignment
from autograder.gradebook.grades import StudentGrade
from autograder.gradebook.tables import table_text

COLUMNS = ("student", "score", "max_score", "late_days", "penalty", "final", "problems")
PERSON = ("name", "email", "section")  # columns of students.csv, where anybody has them
# A cell that begins like this is a formula to a spreadsheet, also after a separator it may split at.
_FORMULA = re.compile(r"(^|[;,|\t\n\r\"])(\s*)(?=[=+\-@＝＋－＠])")
Said = Callable[[StudentGrade], str]


def grades_csv(grades: Iterable[StudentGrade], assignment: Assignment, problems: Said, flags: Said) -> str:
    """The whole file. Without a grade the cells are empty: a person decides, not a zero.

    problems, flags: what is to be said of a student, in words.
    """
    grades = list(grades)
    known = [name for name in PERSON if any(getattr(one.student, name) for one in grades)]
    header = [*COLUMNS, "flags", *(e.id for e in assignment.exercises), *known]
    rows = []
    for one in grades:
        cells = [
            *_cells(one, assignment, problems(one), flags(one)),
            *(getattr(one.student, k) for k in known),
        ]
        rows.append([safe(cell) for cell in cells])
    return table_text(header, rows)


def safe(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: an apostrophe goes before what would begin one."""
    return cell if _is_number(cell) else _FORMULA.sub(r"\1\2'", cell)


def _cells(one: StudentGrade, assignment: Assignment, problems: str, flags: str) -> Sequence[str]:
    grade = one.grade
    if grade is None:
        empty = [""] * (len(COLUMNS) - 2)
        return [one.name, *empty, problems, flags, *("" for _ in assignment.exercises)]
    return [
        one.name,
        number(grade.score),
        number(grade.max_score),
        "" if grade.late_days is None else str(grade.late_days),
        number(grade.penalty),
        number(grade.final),
        problems,
        flags,
        *(number(grade.exercises.get(e.id, Decimal(0))) for e in assignment.exercises),
    ]


def number(value: Decimal) -> str:
    """With two decimals at most, and no zeros at the end."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)?", cell) is not None
