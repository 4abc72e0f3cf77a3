"""`grade` with rules, people and decisions: table, pages, JSON, `grades` and export say the same."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autograder.assignment import KIT as ROOT

STUDENTS = """student,name,submitted_at,extension,question
ana,Ana Souza,2027-03-01T20:00:00-03:00,,
bo,Bo Lima,2027-03-03T10:00:00-03:00,,
cy,Cy,2027-03-03T10:00:00-03:00,3d,
di,Di,,,who is it?
ed,Ed,2027-03-02T10:00:00-03:00,,
zoe,Zoé,,,
"""
OVERRIDES = """student,exercise,points,reason,private
ed,,70,read by hand,
bo,split_heads,12,right but for a typo,
"""
RULES = """
[deadline]
at = 2027-03-01T23:59:00-03:00
rate = 10

[attempts]
count = "best"
"""


class Room:
    def __init__(self, folder: Path) -> None:
        self.folder, self.group, self.out = folder, folder / "class", folder / "out"
        for name, score in (("ana", 80), ("bo", 60), ("cy", 50), ("di", 40)):
            self.hand_in(self.group / name, f"score {score}")
        (self.group / "ed").mkdir()
        (self.group / "ed" / "essay.docx").write_bytes(b"PK nothing that could be graded")
        self.hand_in(self.group / ".attempts" / "bo" / "1", "score 55")
        (self.group / "students.csv").write_text(STUDENTS, encoding="utf-8")
        (self.group / "collected.csv").write_text(
            "download,entry,student,attempt,submitted_at\nd,e,bo,1,2027-03-01T10:00:00-03:00\n",
            encoding="utf-8",
        )
        self.rules(RULES)

    def hand_in(self, folder: Path, words: str) -> None:
        folder.mkdir(parents=True)
        (folder / "heads.py").write_text(words)

    def rules(self, text: str, seed: str = "change me") -> None:
        kit = (ROOT / "course.toml").read_text(encoding="utf-8").replace("change me", seed)
        (self.folder / "course.toml").write_text(kit + text, encoding="utf-8")

    def decide(self, text: str = OVERRIDES) -> None:
        (self.group / "overrides.csv").write_text(text, encoding="utf-8")

    def run(self, *words: object, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "tests.cli.drive", *map(str, words)],
            cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False,
            env=os.environ | {"COLUMNS": "200"},
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done

    def grade(self, *words: object, code: int = 1) -> subprocess.CompletedProcess[str]:
        course = self.folder / "course.toml"
        return self.run("grade", self.group, "--out", self.out, "--course", course, *words, code=code)

    def rows(self) -> dict[str, dict[str, str]]:
        with (self.out / "grades.csv").open(encoding="utf-8", newline="") as file:
            return {row["student"]: row for row in csv.DictReader(file)}

    def finals(self) -> dict[str, str]:
        return {name: row["final"] for name, row in self.rows().items()}


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def of(told: list[dict[str, Any]]) -> dict[str, str]:
    return {one["student"]: "" if one["final"] is None else f"{one['final']:g}" for one in told}


def test_everybody_gets_what_the_rules_say_and_all_say_the_same(room: Room) -> None:
    room.decide()
    told = json.loads(room.grade("--json").stdout)
    # ana in time; bo's first attempt is worth more; cy has an extension; nobody knows of di; ed by hand
    want = {"ana": "80", "bo": "60.4", "cy": "50", "di": "40", "ed": "70", "zoe": ""}
    assert room.finals() == want
    assert of(told) == want
    assert of(json.loads(room.run("grades", room.out, "--json").stdout)) == want
    assert "No grade changes." in room.run("grades", room.out).stdout
    room.run("export", room.out, "--format", "csv", "--to", room.folder / "e.csv")
    assert "60.4" in (room.folder / "e.csv").read_text(encoding="utf-8")


def test_pages_say_why(room: Room) -> None:
    room.decide()
    room.grade()
    pages = {p.parent.name: p.read_text(encoding="utf-8") for p in room.out.glob("*/feedback.md")}
    assert "read by hand" in pages["ed"]
    assert "Nobody knows when it came" in pages["di"]
    assert "You had until" in pages["cy"]
    assert "points count" not in pages["ana"]
    assert "20 points were taken off" in pages["bo"], "the attempt that came late"
    (first,) = [text for name, text in pages.items() if name.startswith("bo [attempt 1]")]
    assert "right but for a typo" in first


def test_nobody_is_on_the_class_page_twice(room: Room) -> None:
    room.grade()
    page = (room.out / "class.html").read_text(encoding="utf-8")
    assert page.count("<bdi>bo [attempt 1]</bdi>") == 1
    assert "<bdi>bo</bdi>" not in page


def test_the_terminal_says_what_a_person_must_do(room: Room) -> None:
    room.decide(OVERRIDES + "nobody,,5,x,\n")
    said = room.grade().stdout
    assert "Counts" in said
    assert "Handed nothing in: 1 (zoe)." in said
    assert "students.csv asks: who is it?" in said
    assert "overrides.csv names nobody of this class: nobody." in said
    assert "nothing was taken off for late work: 1 (di)" in said
    assert room.rows()["di"]["problems"] == "students.csv asks: who is it?"
    few = room.grade("--only", "ana", code=0).stdout
    assert "zoe" not in few
    assert "who is it?" not in few
    assert "names nobody of this class: nobody." in few


def test_rules_that_change_regrade_nothing_and_count_at_once(room: Room) -> None:
    room.grade()
    assert room.finals()["bo"] == "55"
    room.rules(RULES.replace("rate = 10", "rate = 1"))
    said = room.grade().stdout
    assert "Nothing new: 6 submissions" in said  # bo's first attempt is one
    assert room.finals()["bo"] == "58"
    table = said[said.index("Before") : said.index("Class page")].splitlines()
    assert any(line.startswith("bo ") and " 55 " in line and " 58 " in line for line in table)
    assert not any(line.startswith("ana ") for line in table)
    assert "2 points were taken off" in (room.out / "bo" / "feedback.md").read_text(encoding="utf-8")


def test_another_seed_is_said_with_what_has_come_of_it(room: Room) -> None:
    room.grade()
    room.rules(RULES, seed="another")
    said = room.grade().stdout
    assert "Graded again, with the same files as before: 6. What differs: the seed." in said
    assert "0 gain points, 0 lose points; 6 are as before." in said


def test_in_portuguese(room: Room) -> None:
    room.decide()
    said = room.grade("--lang", "pt-BR").stdout
    for words in ("Estudante", "Vale", "O que falta", "Avaliando 6 entregas", "Turma", "Notas", "80"):
        assert words in said
    for words in ("Student ", "Grading", "graded", "Class page", "need a look"):
        assert words not in said


def test_a_course_that_was_forgotten_is_said(room: Room) -> None:
    room.grade()
    course = "course.toml the last time"
    assert course not in room.grade().stdout
    done = room.run("grade", room.group, "--out", room.out, "--only", "ana")
    assert f"../{course}" in done.stdout.replace("\n", " ")
    assert "--course" in done.stdout
