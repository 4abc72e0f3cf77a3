"""A plain table, also as Excel opens it by a double click."""

from __future__ import annotations

from decimal import Decimal

from babel import Locale

from autograder.exporters.exporter import Exported, Request, pages, points
from autograder.gradebook.grades import StudentGrade
from autograder.gradebook.tables import safe, table_text

PERSON = ("student", "name", "email", "lms_id", "username", "student_number", "section")
IDS = {"lms_id", "student_number", "username", "student"}


class Spreadsheet:
    """--excel: with BOM, the separator and the decimal mark of the language, and ids that stay text."""

    name, told = "csv", "a table"
    options = frozenset({"excel"})

    def export(self, request: Request) -> Exported:
        """What counts, and each exercise's points."""
        done = Exported()
        comma = request.excel and Locale.parse(request.lang, sep="-").number_symbols["latn"]["decimal"] == ","
        known = [n for n in PERSON if n == "student" or any(getattr(g.student, n) for g in request.grades)]
        header = [
            *known,
            "final",
            "max_score",
            "late_days",
            "penalty",
            *(e.id for e in request.assignment.exercises),
        ]
        rows = []
        for one in request.grades:
            cells = [self._text(getattr(one.student, n), request.excel and n in IDS) for n in known]
            grade = one.grade
            told = [""] * (len(header) - len(known))
            if grade is not None:
                late = "" if grade.late_days is None else str(grade.late_days)
                told = [
                    points(grade.final, comma),
                    points(grade.max_score, comma),
                    late,
                    points(grade.penalty, comma),
                ]
                earned = (grade.exercises.get(e.id, Decimal(0)) for e in request.assignment.exercises)
                told += [points(value, comma) for value in earned]
            rows.append([*cells, *told])
        text = table_text(header, rows, ";" if comma else ",")
        done.files["grades.csv"] = text.encode("utf-8-sig" if request.excel else "utf-8")
        done.say("export.rows", n=len(rows), graded=sum(one.grade is not None for one in request.grades))
        return done

    @staticmethod
    def _text(cell: str, as_text: bool) -> str:
        """Excel takes 007 for 7, 1E5 for 100000 and MAR1 for a day, unless it is told that it is text."""
        if as_text and any(c.isdigit() for c in cell):
            escaped = cell.replace('"', '""')
            return f'="{escaped}"'
        return safe(cell)

    def feedback(self, request: Request) -> dict[str, StudentGrade] | None:
        """A folder for each student."""
        return {f"{one.name}/feedback.html": one for one in pages(request.grades)}
