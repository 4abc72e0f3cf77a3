"""nbgrader: the table that `nbgrader export` writes, with cells quoted where they need it."""

from __future__ import annotations

from autograder.exporters.exporter import Exported, Request, pages, points
from autograder.exporters.gradescope import first_last
from autograder.gradebook.grades import StudentGrade
from autograder.gradebook.tables import safe, table_text

COLUMNS = (
    "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
    "late_submission_penalty", "score", "max_score",
)  # fmt: skip


class NbGrader:
    """`grade --nbgrader` writes into the gradebook itself; this is for what reads the table."""

    name, told = "nbgrader", "nbgrader"
    options = frozenset[str]()

    def export(self, request: Request) -> Exported:
        """A row for each; who has handed in nothing has no score, which is not 0."""
        done = Exported()
        deadline = request.assignment.deadline
        due = "" if deadline is None else deadline.at.isoformat()
        rows = []
        for one in request.grades:
            person, grade = one.student, one.grade
            first, last = first_last(person.name)
            told = ["", "", "", ""]
            if grade is not None:
                told = [points(x) for x in (grade.score, grade.penalty, grade.final, grade.max_score)]
            about = [request.assignment.content.notebook, due, person.submitted_at, one.name]
            rows.append([*about, safe(last), safe(first), person.email, *told])
        done.files["nbgrader.csv"] = table_text(COLUMNS, rows).encode()
        done.say("export.rows", n=len(rows), graded=sum(one.grade is not None for one in request.grades))
        return done

    def feedback(self, request: Request) -> dict[str, StudentGrade] | None:
        """As `nbgrader release_feedback` reads it."""
        notebook = request.assignment.content.notebook
        return {f"feedback/{one.name}/{notebook}/{notebook}.html": one for one in pages(request.grades)}
