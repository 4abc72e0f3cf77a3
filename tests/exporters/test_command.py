"""autograder export as people type it: what is written where, what is refused, what is said."""

from __future__ import annotations

import warnings
import zipfile
from pathlib import Path

import pytest

from autograder.batch.rows import WAITING
from autograder.exporters import exporters
from autograder.gradebook.tables import table_text
from autograder.results import Problem
from tests.exporters.whole_way import run
from tests.gradebook.test_grades import change, fill

PEOPLE = [f"s{i:02}" for i in range(30)]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Results of a class of thirty."""
    rows = [[name, f"Name {name}", f"{name}@x.br", str(100 + i)] for i, name in enumerate(PEOPLE)]
    return fill(
        tmp_path, dict.fromkeys(PEOPLE[:20], 12.5), table_text(["student", "name", "email", "lms_id"], rows)
    )


def worksheet(path: Path) -> Path:
    """Of all of them, and of as many strangers."""
    header = ["Identifier", "Full name", "Email address", "Grade", "Maximum grade"]
    rows = [[f"Participant {100 + i}", f"Name {n}", f"{n}@x.br", "", "100"] for i, n in enumerate(PEOPLE)]
    rows += [[f"Participant {900 + i}", f"Other {i}", f"o{i}@x.br", "7", "100"] for i in range(30)]
    path.write_text(table_text(header, rows), encoding="utf-8")
    return path


def test_the_file_that_is_given_stays_and_all_names_are_in_a_report(out: Path, tmp_path: Path) -> None:
    own = worksheet(tmp_path / "own.csv")
    before = own.read_bytes()
    said = run("export", out, "-f", "moodle", "--into", own)
    assert "20 grades" in said
    assert "30 of the file are nobody of this class" in said
    assert "Participant 929" not in said
    report = (out / "export" / "moodle.report.txt").read_text(encoding="utf-8")
    assert all(f"Participant {900 + i}" in report for i in range(30))
    assert all(name in report for name in PEOPLE[20:])
    assert own.read_bytes() == before
    run("export", out, "-f", "moodle", "--into", own, "--to", own, codes=(2,))
    run("export", out, "-f", "moodle", "--into", own, "--to", tmp_path / "link.csv")
    assert (tmp_path / "link.csv").read_bytes() == (out / "export" / "moodle.csv").read_bytes()
    assert own.read_bytes() == before


def test_it_is_said_in_the_language_of_the_class(out: Path, tmp_path: Path) -> None:
    said = run("export", out, "-f", "moodle", "--into", worksheet(tmp_path / "own.csv"), "--lang", "pt-BR")
    assert "20 notas" in said
    assert "Escrito" in said


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["-f", "webct"], "no such format"),
        (["-f", "moodle"], "--into"),
        (["-f", "moodle", "--into", "nothing.csv"], "nothing.csv"),
        (["-f", "csv", "--into", "x.csv"], "--into: means nothing"),
        (["-f", "canvas", "--excel", "--comments"], "--comments and --excel: means nothing"),
        (["-f", "csv", "--feedback", "--column", "x"], "--column: means nothing"),
        (["-f", "gradescope", "--feedback"], "takes no pages back"),
        (["-f", "canvas", "--feedback"], "autograder collect"),
    ],
)
def test_what_cannot_be_done_is_said(out: Path, words: list[str], why: str) -> None:
    said = run("export", out, *words, codes=(2,))
    assert why in " ".join(said.split())
    assert "Traceback" not in said
    assert not (out / "export").exists()


def test_pages_that_are_not_there_are_named(out: Path) -> None:
    (out / "s00" / "feedback.html").write_text("page", encoding="utf-8")
    said = run("export", out, "-f", "csv", "--feedback", "--to", out / "pages.zip")
    assert "29 have no page" in said
    assert zipfile.ZipFile(out / "pages.zip").namelist() == ["s00/feedback.html"]


def test_all_formats_are_listed() -> None:
    said = run("export", "-f", "list")
    assert all(name in said for name in exporters())


def test_an_exporter_of_somebody_else_that_is_broken_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    class Entry:
        name, value = "theirs", "theirs:Theirs"

        def load(self) -> type:
            raise ImportError("no module theirs")

    monkeypatch.setattr("autograder.exporters.entry_points", lambda group: [Entry()])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert "canvas" in exporters()
    assert "theirs" in str(told[0].message)


def test_grades_that_another_seed_or_kit_gave_are_named(out: Path, tmp_path: Path) -> None:
    change(out, problems={PEOPLE[3]: [Problem(id=WAITING)]})
    said = run("export", out, "-f", "csv", "--to", tmp_path / "x.csv")
    assert f"Grades of before, not yet graded again by what counts now (1): {PEOPLE[3]}" in " ".join(
        said.split()
    )
