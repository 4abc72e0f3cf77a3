"""nbgrader's own commands after `autograder grade --nbgrader`, and what a person has written in between."""

from __future__ import annotations

import os
from pathlib import Path

from autograder.nbgrader.files import MOST_FILES, copy_all, copy_stamps, write_unless_changed


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
