"""Brightspace (D2L): a table that its grade import takes; and pages in the folders of the download."""

from __future__ import annotations

import re

from autograder.exporters.exporter import Exported, Request, points
from autograder.exporters.filling import Filling, one_column
from autograder.exporters.handback import by_name
from autograder.exporters.people import People
from autograder.exporters.rawcsv import RawCsv, number
from autograder.gradebook.grades import StudentGrade
from autograder.gradebook.tables import table_text

KEYS = (
    ("OrgDefinedId", lambda one: _ids(one)[0]),
    ("Username", lambda one: _ids(one)[1]),
    ("Email", lambda one: one.student.email),
)
END = "End-of-Line Indicator"
COLUMN = re.compile(r".+ Points Grade(?: <.*?MaxPoints:(?P<most>[\d.,]+).*>| <.*>)?")
FOLDER = re.compile(r"(?:^|/)(\d+-\d+ - [^/]+)/")


class D2L:
    """People are known by OrgDefinedId or user name; a column is called "<Item> Points Grade"."""

    name, told = "d2l", "Brightspace (D2L)"
    options = frozenset({"into", "column", "scale"})

    def export(self, request: Request) -> Exported:
        """The instructor's own export, filled; without one a new table."""
        if request.into is None:
            return self._new(request)
        file = RawCsv.read(request.into)
        header = file.header()
        column = one_column(
            file, request.column, [n for n in header if COLUMN.fullmatch(n)], "its columns of points are"
        )
        shape = COLUMN.fullmatch(header[column])
        most = number(shape["most"] or "") if shape else None
        filling = Filling(file, request, People(file, request.grades, KEYS))
        filling.fill(column, file.body(), lambda row: most)
        filling.done.files["d2l.csv"] = file.bytes()
        return filling.done

    @staticmethod
    def _new(request: Request) -> Exported:
        """Names and addresses stay out of it: the import needs none."""
        done = Exported()
        item = request.column or request.assignment.course.title_in(request.lang)
        item = item if item.endswith("Points Grade") else f"{item} Points Grade"
        known = [(g, *_ids(g)) for g in request.grades]
        rows = [
            [number and f"#{number}", username and f"#{username}", points(one.grade.final), "#"]
            for one, number, username in known
            if one.grade is not None and (number or username)
        ]
        done.files["d2l.csv"] = table_text(["OrgDefinedId", "Username", item, END], rows).encode()
        done.say("export.filled", n=len(rows), column=item)
        done.tell("export.without_grade", [g.name for g in request.grades if g.grade is None])
        done.tell(
            "export.no_id", [g.name for g, number, username in known if g.grade and not (number or username)]
        )
        return done

    def feedback(self, request: Request) -> dict[str, StudentGrade] | None:
        """In the folder that the download had, whose name must not change."""
        return by_name(request, _folder, lambda name: f"{name}/feedback.html")


def _folder(entry: str, one: StudentGrade) -> str | None:
    found = FOLDER.search(entry)
    return found[1] if found else None


def _ids(one: StudentGrade) -> tuple[str, str]:
    return one.student.student_number.removeprefix("#"), one.student.username.removeprefix("#")
