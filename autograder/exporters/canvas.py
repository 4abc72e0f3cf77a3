"""Canvas: its gradebook export, filled; and comments as a zip of files named like those of the download."""

from __future__ import annotations

import re

from autograder.exporters.exporter import Exported, Request
from autograder.exporters.filling import Filling, needed, one_column
from autograder.exporters.handback import by_name
from autograder.exporters.people import People
from autograder.exporters.rawcsv import number
from autograder.gradebook.grades import StudentGrade

KEYS = (
    ("ID", lambda one: one.student.lms_id),
    ("SIS User ID", lambda one: one.student.student_number),
    ("SIS Login ID", lambda one: one.student.username or one.name),
)
ASSIGNMENT = re.compile(r".+ \(\d+\)")
KEPT = {"EX": "export.excused", "EXCUSED": "export.excused", "N/A": "export.not_assigned"}


class Canvas:
    """Columns of assignments are called "Title (12345)"."""

    name, told = "canvas", "Canvas"
    options = frozenset({"into", "column", "scale"})

    def export(self, request: Request) -> Exported:
        """The gradebook, one column of it filled; nothing else in it changes."""
        file = needed(request.into, "the gradebook that Canvas exports")
        header = file.header()
        about = next((row for row in file.body() if file.get(row, 0) == "Points Possible"), None)
        totals = {header[i] for i in range(len(header)) if about and file.get(about, i) == "(read only)"}
        columns = [n for n in header if ASSIGNMENT.fullmatch(n) and n not in totals]
        column = one_column(file, request.column, columns, "its columns of assignments are")
        most = number(file.get(about, column)) if about is not None else None
        people = [r for r in file.body() if file.get(r, 0) not in ("", "Points Possible", "Student, Test")]
        filling = Filling(file, request, People(file, request.grades, KEYS, name="Student"))
        filling.fill(
            column, people, lambda row: most, lambda row: KEPT.get(file.get(row, column).upper(), "")
        )
        filling.done.files["canvas.csv"] = file.bytes()
        return filling.done

    def feedback(self, request: Request) -> dict[str, StudentGrade] | None:
        """Of everybody who has uploaded a file: to a text typed in Canvas no file can go back."""
        return by_name(request, _numbers, lambda name: f"{name}_feedback.html")


def _numbers(entry: str, one: StudentGrade) -> str | None:
    """The name up to the student's number and the file's, by which Canvas finds it: "doejane_1234_5678"."""
    lms_id = one.student.lms_id
    found = re.match(rf"(?:.*?_)?{re.escape(lms_id)}_\d+(?=_)", entry.rpartition("/")[2])
    return found[0] if found and lms_id else None
