"""nbgrader's own commands after `autograder grade --nbgrader`, and what a person has written in between."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from autograder.nbgrader.command import nbgrader
from autograder.nbgrader.files import MOST_FILES, copy_all, copy_stamps, write_unless_changed
from tests.nbgrader.conftest import NAME, Graded, timed
from tests.nbgrader.handed_in import ROOT

FILES_ONLY = "joão da silva"  # no notebook, a space, an accent
WORDS = "We talked about this on Tuesday."


def grade(course: Graded) -> str:
    command = [sys.executable, "-m", "autograder.cli", "grade", "--nbgrader", str(course.root), "--no-timing"]
    return timed(command, ROOT)[1]


def page(course: Graded, student: str) -> str:
    return (course.root / "feedback" / student / NAME / f"{NAME}.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_nbgraders_commands_go_on_and_a_persons_words_stay(copy_of: Graded) -> None:
    from nbgrader.api import Gradebook

    exchange = copy_of.root.parent / "exchange"
    exchange.mkdir(mode=0o777)
    config = copy_of.root / "nbgrader_config.py"
    config.write_text(
        f"{config.read_text(encoding='utf-8')}\nc.Exchange.root = {str(exchange)!r}\n"
        "c.CourseDirectory.course_id = 'course'\n",
        encoding="utf-8",
    )
    submitted = copy_of.root / "submitted"
    carla, new = submitted / "carla" / NAME, submitted / FILES_ONLY / NAME
    (carla / "data" / "more").mkdir(parents=True)
    (carla / "data" / "more" / "table.csv").write_text("1,2")
    new.mkdir(parents=True)
    (new / "heads.py").write_bytes((ROOT / "solutions" / "heads.py").read_bytes())
    (new / "submission_secret.txt").write_text("another secret")
    (new / "timestamp.txt").write_text("2025-05-02 11:00:00 UTC")

    with Gradebook(copy_of.db_url, "course") as book:
        book.find_comment("split_heads", NAME, NAME, "carla").manual_comment = WORDS
        book.find_grade("test-split_heads", NAME, NAME, "carla").manual_score = 7.5
        book.db.commit()
    nbgrader("generate_feedback", NAME, "--force", "--student=carla", cwd=copy_of.root)
    assert WORDS in page(copy_of, "carla")
    said = grade(copy_of)
    assert WORDS in page(copy_of, "carla")
    assert "1 of these pages (carla)" in " ".join(said.split())
    with Gradebook(copy_of.db_url, "course") as book:
        assert book.find_comment("split_heads", NAME, NAME, "carla").manual_comment == WORDS
        assert book.find_grade("test-split_heads", NAME, NAME, "carla").score == 7.5
        assert book.find_submission(NAME, FILES_ONLY).score == 20
    assert (copy_of.root / "autograded" / "carla" / NAME / "data" / "more" / "table.csv").read_text() == "1,2"

    nbgrader("release_feedback", NAME, cwd=copy_of.root)
    assert len(list((exchange / "course" / "feedback").glob("*.html"))) == 11
    nbgrader("generate_feedback", NAME, "--force", f"--student={FILES_ONLY}", cwd=copy_of.root)
    assert "Split into heads: 12 of 12 points" in page(copy_of, FILES_ONLY)
    nbgrader("release_feedback", NAME, f"--student={FILES_ONLY}", cwd=copy_of.root)
    nbgrader("export", cwd=copy_of.root)
    assert FILES_ONLY in (copy_of.root / "grades.csv").read_text(encoding="utf-8")

    # Handed in again: the page is about other work now.
    (carla / "timestamp.txt").write_text("2025-05-09 10:00:00 UTC")
    grade(copy_of)
    assert WORDS not in page(copy_of, "carla")


def test_a_page_is_written_again_until_somebody_else_has(tmp_path: Path) -> None:
    path = tmp_path / "ana" / "page.html"
    assert write_unless_changed(path, "one", newer=False)
    assert write_unless_changed(path, "two", newer=False)
    assert path.read_text() == "two"
    path.write_text("two, and a word of mine")
    assert not write_unless_changed(path, "three", newer=False)
    assert path.read_text() == "two, and a word of mine"
    assert write_unless_changed(path, "three", newer=True)
    assert write_unless_changed(path, "four", newer=False)


def test_a_page_of_which_nothing_is_known_is_somebody_elses(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("by nbgrader")
    assert not write_unless_changed(tmp_path / "page.html", "ours", newer=False)


def test_what_is_copied_beside_the_notebook(tmp_path: Path) -> None:
    """Plain files to any depth; no notebooks, links, caches; no more than a limit; over read-only ones."""
    handed, there = tmp_path / "in", tmp_path / "out"
    for name in ("a.txt", "deep/er/b.csv", "x.ipynb", "__pycache__/c.pyc", ".ipynb_checkpoints/d", "ü ñ/e f"):
        (handed / name).parent.mkdir(parents=True, exist_ok=True)
        (handed / name).write_text(name)
    secret = tmp_path / "secret"
    secret.write_text("of another")
    (handed / "link").symlink_to(secret)
    os.link(secret, handed / "hard")
    os.mkfifo(handed / "pipe")
    there.mkdir()
    (there / "a.txt").write_text("old")
    (there / "a.txt").chmod(0o444)
    copy_all(handed, there)
    found = {p.relative_to(there).as_posix() for p in there.rglob("*") if p.is_file()}
    assert found == {"a.txt", "deep/er/b.csv", "ü ñ/e f"}
    assert (there / "a.txt").read_text() == "a.txt"
    for n in range(MOST_FILES + 50):
        (handed / f"n{n}").write_text("")
    copy_all(handed, there)
    assert len(list(there.rglob("*"))) < MOST_FILES + 10


def test_stamps(tmp_path: Path) -> None:
    handed, there = tmp_path / "in", tmp_path / "out"
    handed.mkdir()
    there.mkdir()
    (there / "timestamp.txt").write_text("old")
    (handed / "submission_secret.txt").symlink_to(tmp_path)
    (handed / "page.html").write_text("not ours")
    copy_stamps(handed, there)
    assert list(there.iterdir()) == []
