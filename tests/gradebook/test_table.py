"""grades.csv: right columns, every submission, and nothing a spreadsheet would run."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.assignment import load_assignment
from autograder.gradebook.grades import ClassFiles, StudentGrade
from autograder.gradebook.students import Student
from autograder.gradebook.table import grades_csv
from autograder.gradebook.tables import as_it_was, safe
from autograder.results import Kit, SubmissionResult, TestResult, Verdict

COURSE = load_assignment()


def result(student: str = "ana", points: float = 7.0) -> SubmissionResult:
    test = TestResult(
        id="heads/a", exercise="merge_heads", concept="c", verdict=Verdict.PASSED, points=points, max_points=8
    )
    return SubmissionResult(
        student=student, score=points, isolation="strong", kit=Kit(version="0"), tests=[test]
    )


def table(one: SubmissionResult | None, problems: str = "", student: str = "ana") -> dict[str, str]:
    """The row of one student, as a spreadsheet reads it."""
    grade = None if one is None else ClassFiles().grade(student, one, COURSE)
    line = StudentGrade(Student(student), one, grade)
    (row,) = csv.DictReader(io.StringIO(grades_csv([line], COURSE, lambda _: problems, lambda _: "look")))
    return row


def test_columns_and_values() -> None:
    row = table(result(points=6.5), "a note")
    assert list(row)[:7] == ["student", "score", "max_score", "late_days", "penalty", "final", "problems"]
    assert list(row)[7:] == ["flags", *(e.id for e in COURSE.exercises)]
    assert (row["score"], row["max_score"], row["late_days"], row["final"]) == ("6.5", "100", "", "6.5")
    assert row["flags"] == "look"
    assert (row["merge_heads"], row["split_heads"], row["problems"]) == ("6.5", "0", "a note")


def test_without_a_grade_the_cells_are_empty() -> None:
    row = table(None, "cannot be read")
    assert row["problems"] == "cannot be read"
    assert {v for k, v in row.items() if k not in ("student", "problems", "flags")} == {""}


@pytest.mark.parametrize(
    "name",
    [
        "=1+1",
        "+1",
        "-1+1",
        "@SUM(A1)",
        "\t=1",
        " =1",
        "=cmd|' /C calc'!A0",
        "x;=1+1",
        'x","=1',
        "a\n=1",
        "＝1",
    ],
)
def test_no_cell_begins_a_formula(name: str) -> None:
    row = table(result(name), name, name)
    for cell in (row["student"], row["problems"]):
        for separator in ',;\t|\n"':
            for part in cell.split(separator):
                assert part.strip()[:1] not in tuple("=+-@＝＋－＠")
    assert row["student"].replace("'", "") == name.replace("'", "")


@given(st.text(alphabet="'=+-@＝;,|\"\t\n a1"))
def test_what_is_made_safe_is_read_as_it_was(cell: str) -> None:
    assert as_it_was(safe(cell)) == cell


@pytest.mark.parametrize("name", ["ana-souza", "José", "O'Brien, Pat", "a=b", "12.5", "c+d"])
def test_ordinary_names_stay_as_they_are(name: str) -> None:
    assert safe(name) == name
    row = table(result(name), student=name)
    assert row["student"] == name
