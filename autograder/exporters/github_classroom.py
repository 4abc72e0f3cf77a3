"""GitHub Classroom: its table of grades, `points_awarded` filled."""

from __future__ import annotations

from autograder.exporters.exporter import Exported, Request
from autograder.exporters.filling import Filling, needed, one_column
from autograder.exporters.people import People
from autograder.exporters.rawcsv import number
from autograder.gradebook.grades import StudentGrade

KEYS = (
    ("github_username", lambda one: one.student.username or one.name),
    ("roster_identifier", lambda one: one.name),
    ("roster_identifier", lambda one: one.student.email),
    ("roster_identifier", lambda one: one.student.student_number),
)


class GitHubClassroom:
    """People are known by login, or by what the roster calls them."""

    name, told = "github-classroom", "GitHub Classroom"
    options = frozenset({"into", "column", "scale"})

    def export(self, request: Request) -> Exported:
        """The table, one column of it filled."""
        file = needed(request.into, "the table of grades that GitHub Classroom downloads")
        header = file.header()
        columns = [n for n in header if n == "points_awarded"]
        column = one_column(file, request.column, columns, "its columns of points are")
        most = header.index("points_available") if "points_available" in header else None
        filling = Filling(file, request, People(file, request.grades, KEYS, name="roster_identifier"))
        filling.fill(
            column,
            file.body(),
            lambda row: None if most is None else number(file.get(row, most)),
        )
        filling.done.files["github-classroom.csv"] = file.bytes()
        return filling.done

    def feedback(self, request: Request) -> dict[str, StudentGrade] | None:
        """None: pages are pushed to each repository."""
        return None
