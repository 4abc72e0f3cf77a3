"""A file with a second name costs the person who made that name, not the one whose file it is."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from autograder.assignment import load_assignment
from autograder.intake import incoming
from autograder.intake.gather import Gathered, gathered
from autograder.intake.reading import Unreadable

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs hard links and their times")


@pytest.fixture
def school(tmp_path: Path) -> Path:
    """A class of three, each with a file of their own."""
    for name in ("ana", "bo", "cy"):
        put(tmp_path / "class" / name / "own.py", name)
    return tmp_path / "class"


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def link(source: Path, target: Path) -> None:
    """A second name, made later than whatever was before: the clock of a file system ticks slowly."""
    time.sleep(0.02)
    try:
        os.link(source, target)
    except OSError:
        pytest.skip("this file system has no hard links")


def of(folder: Path, student: str) -> Gathered:
    return gathered(
        next(one for one in incoming(folder, load_assignment())[0] if one.student == student),
        load_assignment(),
    )


def read(found: Gathered, name: str) -> str:
    """The text, or the reason why it is not read."""
    try:
        return next(entry for entry in found.entries if entry.name == name).read(1000).decode()
    except Unreadable as e:
        return e.problem.id


def test_the_owner_keeps_their_file_and_the_other_is_refused(school: Path) -> None:
    link(school / "ana/own.py", school / "bo/heads.py")
    ana, bo = of(school, "ana"), of(school, "bo")
    assert (read(ana, "own.py"), ana.flags) == ("ana", [])
    assert read(bo, "heads.py") == "file.second_name"
    assert read(bo, "own.py") == "bo"


def test_a_link_to_a_third_ones_file_costs_neither_of_the_others(school: Path) -> None:
    link(school / "ana/own.py", school / "bo/heads.py")
    link(school / "bo/own.py", school / "cy/heads.py")
    assert read(of(school, "ana"), "own.py") == "ana"
    assert read(of(school, "bo"), "own.py") == "bo"
    assert read(of(school, "bo"), "heads.py") == "file.second_name"
    assert read(of(school, "cy"), "heads.py") == "file.second_name"


def test_when_either_may_have_made_it_both_are_read_and_a_person_is_asked(school: Path) -> None:
    link(school / "ana/own.py", school / "bo/heads.py")
    put(school / "ana/later.py", "")
    for student, name in (("ana", "own.py"), ("bo", "heads.py")):
        found = of(school, student)
        assert read(found, name) == "ana"
        assert [(flag.id, flag.params) for flag in found.flags] == [("shared_file", {"file": name})]


def test_a_file_that_was_changed_since_asks_a_person_too(school: Path) -> None:
    link(school / "ana/own.py", school / "bo/heads.py")
    time.sleep(0.02)
    put(school / "ana/own.py", "edited")
    for student, name in (("ana", "own.py"), ("bo", "heads.py")):
        found = of(school, student)
        assert (read(found, name), len(found.flags)) == ("edited", 1)


def test_a_folder_whose_time_was_set_back_does_not_look_innocent(school: Path) -> None:
    link(school / "ana/own.py", school / "bo/heads.py")
    os.utime(school / "bo", (0, 0))
    assert read(of(school, "ana"), "own.py") == "ana"
    found = of(school, "bo")
    read(found, "heads.py")
    assert [flag.id for flag in found.flags] == ["shared_file"]


def test_a_link_to_something_outside_the_class(school: Path, tmp_path: Path) -> None:
    secret = put(tmp_path / "secret.py", "secret")
    link(secret, school / "bo/heads.py")
    assert read(of(school, "bo"), "heads.py") == "file.second_name"
    os.utime(school / "bo", (0, 0))
    assert read(of(school, "bo"), "heads.py") == "file.second_name"


def test_a_backup_made_of_the_class_costs_nobody(school: Path, tmp_path: Path) -> None:
    (tmp_path / "backup").mkdir()
    link(school / "ana/own.py", tmp_path / "backup/own.py")
    found = of(school, "ana")
    assert (read(found, "own.py"), found.flags) == ("ana", [])


def test_two_names_in_one_submission_are_nobody_elses(school: Path) -> None:
    (school / "ana/copy").mkdir()
    link(school / "ana/own.py", school / "ana/copy/heads.py")
    found = of(school, "ana")
    assert (read(found, "own.py"), read(found, "heads.py"), found.flags) == ("ana", "ana", [])


def test_a_file_of_another_owner_than_its_folder(school: Path) -> None:
    link(school / "ana/own.py", school / "bo/heads.py")
    try:
        os.chown(school / "ana/own.py", 12345, -1)
    except OSError:
        pytest.skip("needs the right to give files away")
    assert read(of(school, "ana"), "own.py") == "file.second_name"
    assert read(of(school, "bo"), "heads.py") == "file.second_name"


def test_loose_files_and_archives_too(school: Path) -> None:
    put(school / "di.py", "di")
    link(school / "di.py", school / "eva.py")
    for student in ("di", "eva"):
        found = of(school, student)
        assert (read(found, f"{student}.py"), len(found.flags)) == ("di", 1)


def test_a_class_of_ordinary_files_is_not_looked_through(
    school: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.intake.links.Neighbours.names", None)
    assert read(of(school, "ana"), "own.py") == "ana"
