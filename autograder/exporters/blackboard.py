"""Blackboard: the file of its grade centre, filled. People are known by user name only."""

from __future__ import annotations

import re

from autograder.exporters.exporter import Exported, Request
from autograder.exporters.filling import Filling, needed, one_column
from autograder.exporters.people import People
from autograder.exporters.rawcsv import number
from autograder.gradebook.grades import StudentGrade

KEYS = (("Username", lambda one: one.student.username or one.name),)
COLUMN = re.compile(r".+\[Total Pts: (?P<most>[\d.,]+)[^\]]*\].*")
TOTALS = ("Weighted Total", "Total [")


class Blackboard:
    """Columns are called "Title [Total Pts: 10 Score] |1281892"."""

    name, told = "blackboard", "Blackboard"
    options = frozenset({"into", "column", "scale"})

    def export(self, request: Request) -> Exported:
        """The file, one column of it filled."""
        file = needed(request.into, "the file that Blackboard's grade centre downloads")
        header = file.header()
        columns = [n for n in header if COLUMN.fullmatch(n) and not n.startswith(TOTALS)]
        column = one_column(file, request.column, columns, "its columns with points are")
        shape = COLUMN.fullmatch(header[column])
        most = number(shape["most"]) if shape else None
        filling = Filling(file, request, People(file, request.grades, KEYS))
        filling.fill(column, file.body(), lambda row: most)
        filling.done.files["blackboard.csv"] = file.bytes()
        return filling.done

    def feedback(self, request: Request) -> dict[str, StudentGrade] | None:
        """None: Blackboard takes no files for a whole class."""
        return None
