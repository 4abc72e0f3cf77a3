"""Gradescope: a table of points by e-mail. Gradescope itself takes points from an autograder only."""

from __future__ import annotations

from autograder.exporters.exporter import Exported, Request, points
from autograder.gradebook.grades import StudentGrade
from autograder.gradebook.tables import safe, table_text

COLUMNS = ("First Name", "Last Name", "SID", "Email", "Sections", "Total Score", "Max Points", "Status")


class Gradescope:
    """As its own "Download grades" has it."""

    name, told = "gradescope", "Gradescope"
    options = frozenset[str]()

    def export(self, request: Request) -> Exported:
        """All of the class, one row each."""
        done = Exported()
        rows = []
        for one in request.grades:
            person, grade = one.student, one.grade
            told = ["", "", "Ungraded" if one.result else "Missing"]
            if grade is not None:
                told = [points(grade.final), points(grade.max_score), "Graded"]
            names = [safe(name) for name in first_last(person.name)]
            rows.append([*names, person.student_number, person.email, person.section, *told])
        done.files["gradescope.csv"] = table_text(COLUMNS, rows).encode()
        done.say("export.rows", n=len(rows), graded=sum(one.grade is not None for one in request.grades))
        done.tell("export.no_email", [one.name for one in request.grades if not one.student.email])
        done.say("export.gradescope_takes_none")
        return done

    def feedback(self, request: Request) -> dict[str, StudentGrade] | None:
        """None: its autograder shows pages."""
        return None


def first_last(name: str) -> tuple[str, str]:
    """Of "Jane van Doe" and of "van Doe, Jane"."""
    last, comma, first = name.partition(",")
    if comma:
        return first.strip(), last.strip()
    first, _, last = name.partition(" ")
    return first, last.strip()
