"""All pages of a folder, again in another language, without grading."""

from __future__ import annotations

from pathlib import Path

from autograder.assignment import Assignment
from autograder.feedback import render
from tests.feedback import results


def fill(out: Path) -> None:
    for folder, make in (("ana", results.all_right), ("davi~1", results.untouched)):
        (out / folder).mkdir()
        (out / folder / "result.json").write_text(make().model_dump_json(), encoding="utf-8")


def test_render(tmp_path: Path, assignment: Assignment) -> None:
    fill(tmp_path)
    done = render(tmp_path, assignment, "en")
    assert (done.students, done.unreadable) == (2, ())
    assert sorted(p.name for p in (tmp_path / "ana").iterdir()) == [
        "feedback.html",
        "feedback.md",
        "result.json",
    ]
    assert "What you have" in (tmp_path / "ana" / "feedback.html").read_text(encoding="utf-8")
    page = (tmp_path / "class.html").read_text(encoding="utf-8")
    assert 'href="davi~1/feedback.html"' in page
    assert "Ana Souza" in page


def test_in_another_language(tmp_path: Path, assignment: Assignment) -> None:
    fill(tmp_path)
    render(tmp_path, assignment, "en")
    before = (tmp_path / "ana" / "result.json").read_bytes()
    render(tmp_path, assignment, "pt-BR")
    assert (tmp_path / "ana" / "result.json").read_bytes() == before
    assert "O que você tem" in (tmp_path / "ana" / "feedback.md").read_text(encoding="utf-8")
    assert 'lang="pt-BR"' in (tmp_path / "class.html").read_text(encoding="utf-8")


def test_a_broken_result_stops_nothing(tmp_path: Path, assignment: Assignment) -> None:
    fill(tmp_path)
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "result.json").write_text("{", encoding="utf-8")
    done = render(tmp_path, assignment, "en")
    assert done.students == 2
    assert [p.parent.name for p in done.unreadable] == ["bad"]


def test_only_some(tmp_path: Path, assignment: Assignment) -> None:
    fill(tmp_path)
    render(tmp_path, assignment, "en", without={"Ana Souza"})
    assert not (tmp_path / "ana" / "feedback.html").exists()
    assert (tmp_path / "davi~1" / "feedback.html").exists()
    assert "Ana Souza" in (tmp_path / "class.html").read_text(encoding="utf-8")
