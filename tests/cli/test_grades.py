"""autograder grades: what changes is shown before it is written, and only pages that say something else are."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograder.assignment import KIT as ROOT
from autograder.assignment import AssignmentError, load_assignment
from autograder.cli import app
from autograder.gradebook.record import read_record
from autograder.store import all_results
from tests.gradebook.test_grades import change, fill


@dataclass(frozen=True)
class Said:
    """What a command said."""

    returncode: int
    stdout: str
    stderr: str


def autograder(*words: object) -> Said:
    """A command as people type it, in this process: a second is saved each time."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert "Traceback" not in done.output
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return Said(done.exit_code, done.stdout, done.stderr)


STUDENTS = """student,name,section,extension,submitted_at
ana,Ana Souza,A,,2027-03-01T20:00:00-03:00
bo,Bo Lima,B,,2027-03-03T10:00:00-03:00
zoe,Zoé,B,,
"""
DEADLINE = "\n[deadline]\nat = 2027-03-01T23:59:00-03:00\nrate = {rate}\n"


def rules(folder: Path, rate: float) -> None:
    """course.toml with a deadline, beside the results."""
    text = (ROOT / "course.toml").read_text(encoding="utf-8") + DEADLINE.format(rate=rate)
    (folder / "course.toml").write_text(text, encoding="utf-8")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Results of two, one of them two days late at 10 points a day; grades.csv as of then."""
    found = fill(tmp_path, {"ana": 80, "bo": 60}, STUDENTS)
    rules(tmp_path, 10)
    change(found, course="../course.toml")
    done = autograder("grades", found)  # nothing is there yet that could be overwritten
    assert done.returncode == 0, done.stderr
    return found


def rows(out: Path) -> dict[str, dict[str, str]]:
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def finals(out: Path) -> dict[str, str]:
    return {name: row["final"] for name, row in rows(out).items()}


def decide(out: Path, text: str) -> Path:
    path = out.parent / "class" / "overrides.csv"
    path.write_text("student,exercise,points,reason,who,private,comment\n" + text, encoding="utf-8")
    return path


def test_everybody_has_a_row(out: Path) -> None:
    assert finals(out) == {"ana": "80", "bo": "40", "zoe": ""}
    bo, zoe = rows(out)["bo"], rows(out)["zoe"]
    assert (bo["late_days"], bo["penalty"], bo["score"], bo["name"], bo["section"]) == (
        "2", "20", "60", "Bo Lima", "B",
    )  # fmt: skip
    assert zoe["problems"] == "Nothing was handed in."


def test_nothing_is_written_before_somebody_says_yes(out: Path) -> None:
    rules(out.parent, 5)
    before = {p: p.read_bytes() for p in out.rglob("*") if p.is_file()}
    done = autograder("grades", out)
    assert done.returncode == 2
    assert "--yes writes it" in done.stderr
    assert "10 points were taken off for it." in done.stdout
    assert "No longer: 20 points were taken off for it." in done.stdout
    assert "ana" not in done.stdout
    assert {p: p.read_bytes() for p in out.rglob("*") if p.is_file()} == before
    assert autograder("grades", out, "--yes").returncode == 0
    assert finals(out) == {"ana": "80", "bo": "50", "zoe": ""}
    assert "No grade changes." in autograder("grades", out).stdout


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
@pytest.mark.parametrize(("answer", "final"), [("y\n", "50"), ("n\n", "40")])
def test_a_person_is_asked(out: Path, answer: str, final: str) -> None:
    rules(out.parent, 5)
    ours, theirs = os.openpty()
    os.write(ours, answer.encode())
    run = subprocess.run(
        [sys.executable, "-m", "autograder", "grades", str(out)],
        cwd=ROOT, stdin=theirs, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    os.close(ours)
    os.close(theirs)
    assert run.returncode == 0, run.stderr
    assert "Write this?" in run.stdout + run.stderr
    assert finals(out)["bo"] == final


def test_only_pages_that_say_something_else_are_written_again(out: Path) -> None:
    pages = {name: out / name / "feedback.html" for name in ("ana", "bo")}
    for page in pages.values():
        page.write_text(page.read_text(encoding="utf-8") + "<!-- as before -->", encoding="utf-8")
    decide(out, "bo,,55,oral exam,K,,Well argued.\n")
    assert autograder("grades", out, "--yes").returncode == 0
    assert "as before" in pages["ana"].read_text(encoding="utf-8")
    page = pages["bo"].read_text(encoding="utf-8")
    assert "as before" not in page
    assert "oral exam" in page
    assert "Well argued." in page
    assert finals(out)["bo"] == "55"


def test_a_page_that_is_gone_and_all_in_another_language_are_written(out: Path) -> None:
    (out / "ana" / "feedback.html").unlink()
    assert autograder("grades", out).returncode == 0
    assert (out / "ana" / "feedback.html").exists()
    done = autograder("grades", out, "--lang", "pt-BR")
    assert "Nenhuma nota muda." in done.stdout
    assert 'lang="pt-BR"' in (out / "ana" / "feedback.html").read_text(encoding="utf-8")
    record = read_record(out)
    assert record is not None
    assert record.lang == "pt-BR"
    assert "Nenhuma nota muda." in autograder("grades", out).stdout  # it stays the language of this class


@pytest.mark.parametrize("private", ["yes", "x", "sim", "TRUE"])
def test_a_private_reason_is_on_no_page_and_in_no_table(out: Path, private: str) -> None:
    """It can be health data."""
    decide(out, f"bo,,55,a long illness,K,{private},\nana,split_heads,10,the same illness,K,{private},\n")
    assert autograder("grades", out, "--yes").returncode == 0
    assert finals(out)["bo"] == "55"
    for path in out.rglob("*"):
        if path.is_file():
            assert "illness" not in path.read_text(encoding="utf-8"), path


def test_an_override_leaves_results_and_the_file_of_overrides_as_they_are(out: Path) -> None:
    file = decide(out, "bo,,55,oral exam,K,,\n")
    before, results = file.read_bytes(), all_results(out)[0]
    assert autograder("grades", out, "--yes").returncode == 0
    file.unlink()
    done = autograder("grades", out, "--yes")
    assert "No longer: 55 points in all instead of 40, decided by a person: oral exam" in done.stdout
    assert finals(out)["bo"] == "40"
    assert all_results(out)[0] == results
    assert not file.exists()
    assert before


def test_who_is_not_in_the_class_is_named(out: Path) -> None:
    decide(out, "nobody,,55,oral exam,K,,\n")
    assert "overrides.csv names nobody of this class: nobody." in autograder("grades", out, "--yes").stdout


def test_who_has_left_the_class_is_named_before_the_row_goes(out: Path) -> None:
    table = out.parent / "class" / "students.csv"
    table.write_text(table.read_text(encoding="utf-8").replace("zoe,Zoé,B,,\n", ""), encoding="utf-8")
    assert "without a row now: zoe" in autograder("grades", out, "--yes").stdout
    assert set(finals(out)) == {"ana", "bo"}


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        (
            "overrides.csv",
            "student,points,reason\nana,many,x\nbo,5,\n",
            "'many' are no points; row 3: no reason",
        ),
        ("overrides.csv", "who,what\nana,5\n", "has no column"),
        ("students.csv", "student,extension\nana,someday\n", "neither a duration"),
        ("students.csv", "name\nAna\n", "has no column `student`"),
        ("students.csv", "student\nana\nana\n", "twice"),
    ],
)
@pytest.mark.parametrize("command", ["grade", "grades"])
def test_a_table_that_is_wrong_stops_before_anything(
    out: Path, name: str, text: str, why: str, command: str
) -> None:
    (out.parent / "class" / name).write_text(text, encoding="utf-8")
    before = {p: p.read_bytes() for p in out.rglob("*") if p.is_file()}
    words = [out.parent / "class", "--out", out.parent / "new"] if command == "grade" else [out, "--yes"]
    done = autograder(command, *words)
    assert done.returncode == 2
    assert why in done.stderr
    assert name in done.stderr
    assert {p: p.read_bytes() for p in out.rglob("*") if p.is_file()} == before
    assert not (out.parent / "new").exists()


def test_for_programs(out: Path) -> None:
    rules(out.parent, 5)
    told = json.loads(autograder("grades", out, "--json").stdout)
    assert [(one["student"], one["before"], one["final"]) for one in told] == [
        ("ana", 80, 80), ("bo", 40, 50), ("zoe", None, None),
    ]  # fmt: skip
    assert finals(out)["bo"] == "40", "nothing is written"


def test_since(out: Path) -> None:
    os.utime(out / "bo" / "result.json", (1, 1))
    for since in ("1h", "2d", "2020-01-01", "2020-01-01T10:00:00-03:00"):
        told = json.loads(autograder("grades", out, "--json", "--since", since).stdout)
        assert [one["student"] for one in told] == ["ana"]
    done = autograder("grades", out, "--since", "lately")
    assert done.returncode == 2
    assert "is no time" in done.stderr


def test_results_without_a_run_json_have_grades_all_the_same(out: Path) -> None:
    """Those of an older kit."""
    (out / "run.json").unlink()
    (out / "grades.csv").unlink()
    assert autograder("grades", out).returncode == 0
    assert finals(out) == {"ana": "80", "bo": "60"}


def test_version_and_completion() -> None:
    assert autograder("--version").stdout.startswith("autograder 0.")
    assert "complete" in autograder("--show-completion", "bash").stdout


def test_nothing_is_exported_that_the_pages_do_not_say(out: Path) -> None:
    decide(out, "bo,,55,oral exam,K,,\n")
    done = autograder("export", out, "--format", "csv")
    assert done.returncode == 2
    assert "bo" in done.stderr
    assert f"autograder grades {out}" in "".join(done.stderr.splitlines())
    assert autograder("grades", out, "--yes").returncode == 0
    assert autograder("export", out, "--format", "csv").returncode == 0
    assert autograder("grades", out, "--lang", "pt-BR").returncode == 0
    assert autograder("export", out, "--format", "csv", "--lang", "en").returncode == 0


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ("[deadline]\nat = 2027-03-01", "deadline.at: is no day with a time; write it like 2027-"),
        (
            "[deadline]\nat = 2027-03-01T00:00:00",
            "deadline.at: 2027-03-01T00:00:00 is at another moment in each",
        ),
        (
            "[deadline]\nat = 2027-03-01T00:00:00\nzone = 'Home'",
            "deadline.zone: no zone 'Home'; write it like",
        ),
        ("[deadline]\nat = 2027-03-01T00:00:00Z\nhard = 2027-02-01T00:00:00Z", "deadline.hard: lies before"),
        (
            "[deadline]\nat = 2027-03-01T00:00:00Z\ngrace = 15",
            "deadline.grace: is no duration; write it like",
        ),
        ("[deadline]\nat = 2027-03-01T00:00:00Z\nlate = 15", "deadline.late: "),
        ("[attempts]\ncount = 'first'", "attempts.count: "),
        ("[grades]\nstep = 0", "grades.step: "),
    ],
)
def test_rules_that_cannot_be_meant_are_refused_with_words(tmp_path: Path, table: str, why: str) -> None:
    course = tmp_path / "course.toml"
    course.write_text((ROOT / "course.toml").read_text(encoding="utf-8") + f"\n{table}\n", encoding="utf-8")
    with pytest.raises(AssignmentError) as refused:
        load_assignment(course)
    said = str(refused.value)
    assert said.startswith(f"{course}: {why}")
    assert "datetime" not in said


def test_who_has_a_grade_has_a_page_also_without_work_and_only_as_long_as_it_counts(out: Path) -> None:
    file = decide(out, "zoe,,55,oral exam,K,,\n")
    assert autograder("grades", out, "--yes").returncode == 0
    page = (out / "zoe" / "feedback.html").read_text(encoding="utf-8")
    assert "55 points in all instead of 0, decided by a person: oral exam" in page
    assert "A person has decided what counts" in page
    for wrong in ("empty", "again", "isolation"):  # there was no folder, and there is nothing to hand in
        assert wrong not in page.split("<body>")[1], wrong
    text = (out / "zoe" / "feedback.md").read_text(encoding="utf-8")
    assert "A person has decided what counts" in text
    assert "again" not in text
    assert "zoe/feedback.html" in (out / "class.html").read_text(encoding="utf-8")
    assert "zoe" not in all_results(out)[0]
    file.unlink()
    assert autograder("grades", out, "--yes").returncode == 0
    assert not (out / "zoe").exists()
    assert (out / "ana" / "feedback.html").exists()


def test_a_page_adds_up(out: Path) -> None:
    """80 points, of them 0 for merge_heads; a person gives 8: 88 count."""
    decide(out, "ana,merge_heads,8,read by hand,K,,\n")
    assert autograder("grades", out, "--yes").returncode == 0
    page = (out / "ana" / "feedback.html").read_text(encoding="utf-8")
    assert "8 points instead of 0, decided by a person: read by hand" in page
    assert "Well done" not in page
    assert "Nothing is left to change" not in page
    table = (out / "class.html").read_text(encoding="utf-8")
    assert ">88<" in table  # as grades.csv has it
    assert finals(out)["ana"] == "88"


def test_whom_the_same_is_to_be_asked_is_one_line(out: Path) -> None:
    decide(out, "ana,split_heads,13,why,K,,\nbo,split_heads,13,why,K,,\n")
    said = autograder("grades", out, "--yes").stdout
    assert said.count("Is that meant?") == 1
    assert "ana, bo: overrides.csv gives 13 points for" in " ".join(said.split())
