"""grades.csv: one line per student, safe to open in a spreadsheet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_UP, Decimal

from autograder.assignment import Assignment
from autograder.gradebook.grades import StudentGrade
from autograder.gradebook.tables import safe, table_text

COLUMNS = ("student", "score", "max_score", "late_days", "penalty", "final", "problems")
PERSON = ("name", "email", "section")  # columns of students.csv, where anybody has them
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
        row = cells(one, assignment) | {"problems": problems(one), "flags": flags(one)}
        row |= {name: getattr(one.student, name) for name in known}
        rows.append([safe(row[name]) for name in header])
    return table_text(header, rows)


def cells(one: StudentGrade, assignment: Assignment) -> dict[str, str]:
    """The student's name and numbers, by the names of their columns; empty where there is no grade."""
    grade = one.grade
    numbers = ("score", "max_score", "late_days", "penalty", "final")
    if grade is None:
        return {"student": one.name, **dict.fromkeys((*numbers, *(e.id for e in assignment.exercises)), "")}
    return {
        "student": one.name,
        "score": number(grade.score),
        "max_score": number(grade.max_score),
        "late_days": "" if grade.late_days is None else str(grade.late_days),
        "penalty": number(grade.penalty),
        "final": number(grade.final, 4),  # as many as it was rounded to
        **{e.id: number(grade.exercises.get(e.id, Decimal(0))) for e in assignment.exercises},
    }


def number(value: Decimal, most: int = 2) -> str:
    """With so many decimals at most, rounded half up, and no zeros at the end."""
    text = f"{value.quantize(Decimal(1).scaleb(-most), ROUND_HALF_UP):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
