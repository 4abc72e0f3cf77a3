"""autograder collect as people type it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autograder.assignment import KIT as ROOT
from tests.collect.downloads import make, packed
from tests.exporters.whole_way import run


@pytest.mark.parametrize(("lang", "word"), [("en", "Students"), ("pt-BR", "Estudantes")])
def test_it_says_what_came_of_it(tmp_path: Path, lang: str, word: str) -> None:
    group = make("canvas", tmp_path, 20)
    said = run(
        "collect", group.download, "--out", tmp_path / "class", "--roster", group.roster, "--lang", lang
    )
    assert f"{word:<12}20, 18" in said
    assert str(tmp_path / "class") in said


def test_a_question_is_shown_and_ends_with_1(tmp_path: Path) -> None:
    packed(
        tmp_path / "d.zip",
        {f"{n}_{i}_assignsubmission_file/w.py": b"x" for i, n in enumerate(["Ana", "Bo\x1b[31m"])},
    )
    (tmp_path / "r.csv").write_text("student,name\nana,Ana\n")
    words = ("collect", tmp_path / "d.zip", "--out", tmp_path / "class", "--roster", tmp_path / "r.csv")
    said = run(*words, codes=(1,))
    assert "Question    Bo-31m: not in the roster" in said
    assert "\x1b[31m" not in said
    told = json.loads(run(*words, "--json", codes=(1,)))
    assert [one["student"] for one in told["students"]] == ["ana", "Bo-31m"]
    assert len(told["files"]) == 2


@pytest.mark.parametrize("words", [["nothing.zip"], ["--lms", "webct"], ["--roster", "nothing.csv"]])
def test_what_cannot_be_done_is_said(tmp_path: Path, words: list[str]) -> None:
    group = make("moodle", tmp_path, 3)
    said = run(
        "collect", *([group.download] if len(words) > 1 else []), *words, "--out", tmp_path / "c", codes=(2,)
    )
    assert "Traceback" not in said
    assert words[-1] in said


def test_a_class_remembers_by_which_course_it_was_collected(tmp_path: Path) -> None:
    """Its deadline's zone is that of times without one: collected again, they stay what they were."""
    course = tmp_path / "my course.toml"
    deadline = "\n[deadline]\nat = 2099-03-01T23:59:00+05:30\n"
    course.write_text((ROOT / "course.toml").read_text(encoding="utf-8") + deadline, encoding="utf-8")
    packed(tmp_path / "d.zip", {"HW_1_ana_attempt_2024-02-03-23-59-01_heads.py": b"x"})
    words = ("collect", tmp_path / "d.zip", "--out", tmp_path / "class")
    run(*words, "--course", course)
    table = (tmp_path / "class" / "students.csv").read_text()
    assert "+05:30" in table
    assert "my course.toml, by which this class was collected" in " ".join(run(*words).split())
    assert (tmp_path / "class" / "students.csv").read_text() == table
    said = " ".join(run(*words, "--course", ROOT / "course.toml").split())
    assert "One of them is another than before for the same work (ana: 2024-02-03T23:59:01+05:30" in said
