"""A page that cannot be written costs that page: the grade stays in the table, and the table says so."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from autograder.assignment import load_assignment
from autograder.batch.rows import Row
from autograder.batch.run import Class, Options
from autograder.commands.outcome import Outcome
from autograder.commands.pages import Pages
from autograder.feedback import fallback
from autograder.gradebook.grades import ClassFiles
from autograder.results import SubmissionResult
from tests.feedback import results


@pytest.fixture
def graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Class, Options]:
    """Two students with results; the page of one of them cannot be written."""
    two = [results.all_right(), results.untouched()]
    for result in two:
        (tmp_path / result.student).mkdir()
        (tmp_path / result.student / "result.json").write_text(result.model_dump_json(), encoding="utf-8")
    whole = fallback.student_pages

    def student_pages(result: SubmissionResult, *more: Any) -> Any:
        if result.student == two[1].student:
            raise MemoryError
        return whole(result, *more)

    monkeypatch.setattr(fallback, "student_pages", student_pages)
    rows = [Row(r.student, r, fresh=True) for r in two]
    return Class(rows), Options(submissions=tmp_path, out=tmp_path, assignment=load_assignment())


@pytest.mark.parametrize("when", ["as it is graded", "at the end", "in a later run"])
def test_it_is_told_and_everything_else_is_there(
    graded: tuple[Class, Options], tmp_path: Path, when: str
) -> None:
    found, options = graded
    fine, odd = found.rows
    done: set[str] = set()
    plain: set[str] = set()
    if when == "as it is graded":
        listener = type("Listener", (), {"written": lambda *_: None})()
        with Pages(listener, options.assignment, "en", ClassFiles()) as pages:
            for row in found.rows:
                assert row.result is not None
                pages.written(row.result, tmp_path / row.student, None)
        done, plain = pages.done_for, pages.plain
    for _ in range(2 if when == "in a later run" else 1):
        Outcome(options, "en", None, ClassFiles()).write(found, done, plain)
    with (tmp_path / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        table = {line["student"]: line for line in csv.DictReader(file)}
    assert odd.result is not None
    assert float(table[odd.student]["score"]) == odd.result.score
    assert "could not be written in full" in table[odd.student]["problems"]
    assert table[fine.student]["problems"] == ""
    assert [row.in_order for row in found.rows] == [True, False]
    assert fine.student in (tmp_path / "class.html").read_text("utf-8")
    for row in found.rows:
        assert {p.name for p in (tmp_path / row.student).iterdir()} >= {"feedback.html", "feedback.md"}
    assert "could not be written in full" in (tmp_path / odd.student / "feedback.html").read_text("utf-8")
