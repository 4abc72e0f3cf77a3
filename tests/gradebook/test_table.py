"""grades.csv: right columns, every submission, and nothing a spreadsheet would run."""

from __future__ import annotations

import csv
import io

import pytest

from autograder.assignment import load_assignment
from autograder.gradebook.policy import grade_of
from autograder.gradebook.table import Line, grades_csv, safe
from autograder.results import Kit, SubmissionResult, TestResult, Verdict

COURSE = load_assignment()


def result(student: str = "ana", points: float = 7.0) -> SubmissionResult:
    test = TestResult(
        id="heads/a", exercise="merge_heads", concept="c", verdict=Verdict.PASSED, points=points, max_points=8
    )
    return SubmissionResult(
        student=student, score=points, isolation="strong", kit=Kit(version="0"), tests=[test]
    )


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_columns_and_values() -> None:
    (row,) = read(grades_csv([Line("ana", result(points=6.5), "a note", late_seconds=86401)], COURSE))
    assert list(row)[:7] == ["student", "score", "max_score", "late_days", "penalty", "final", "problems"]
    assert list(row)[7:] == [e.id for e in COURSE.exercises]
    assert (row["score"], row["max_score"], row["late_days"], row["final"]) == ("6.5", "100", "2", "6.5")
    assert (row["merge_heads"], row["split_heads"], row["problems"]) == ("6.5", "0", "a note")


def test_without_a_grade_the_cells_are_empty() -> None:
    (row,) = read(grades_csv([Line("ana", None, "cannot be read")], COURSE))
    assert row["problems"] == "cannot be read"
    assert {v for k, v in row.items() if k not in ("student", "problems")} == {""}


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
    text = grades_csv([Line(name, result(name), name)], COURSE)
    (row,) = read(text)
    for cell in (row["student"], row["problems"]):
        for separator in ',;\t|\n"':
            for part in cell.split(separator):
                assert part.strip()[:1] not in tuple("=+-@＝＋－＠")
    assert row["student"].replace("'", "") == name.replace("'", "")


@pytest.mark.parametrize("name", ["ana-souza", "José", "O'Brien, Pat", "a=b", "12.5", "c+d"])
def test_ordinary_names_stay_as_they_are(name: str) -> None:
    assert safe(name) == name
    (row,) = read(grades_csv([Line(name, result(name))], COURSE))
    assert row["student"] == name


def test_a_begun_day_is_a_day_late_and_nobody_is_early() -> None:
    assert grade_of(result(), 1).late_days == 1
    assert grade_of(result(), -100).late_days == 0
    assert grade_of(result()).late_days is None


def test_nothing_is_taken_off_for_late_work() -> None:
    """README says so; `late_days` is empty where nobody knows when the work came."""
    rows = read(grades_csv([Line("ana", result(), late_seconds=9e6), Line("bo", result())], COURSE))
    assert [(r["score"], r["penalty"], r["final"]) for r in rows] == [("7", "0", "7")] * 2
    assert [r["late_days"] for r in rows] == ["105", ""]
