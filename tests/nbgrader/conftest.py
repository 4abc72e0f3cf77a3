"""One nbgrader course for all tests here: ten honest students, graded both ways."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.assignment import load_assignment
from autograder.nbgrader.build.notebook import build
from autograder.nbgrader.command import environment, nbgrader
from tests.nbgrader.class_of_ten import students
from tests.nbgrader.handed_in import ROOT, data
from tests.once import once

NAME = "multihead_mask"
Scores = dict[str, dict[str, float | None]]


@dataclass
class Graded:
    """A course folder, and how many seconds its grading took by the clock on the wall."""

    root: Path
    wall: float
    said: str = ""  # on the terminal, while grading

    @property
    def db_url(self) -> str:
        return f"sqlite:///{self.root / 'gradebook.db'}"

    def scores(self) -> Scores:
        """Student -> cell -> points, as nbgrader's gradebook has them."""
        from nbgrader.api import Gradebook

        with Gradebook(self.db_url, "course") as book:
            return {
                s.student.id: {g.name: g.auto_score for n in s.notebooks for g in n.grades}
                for s in book.assignment_submissions(NAME)
            }


@pytest.fixture(scope="session")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course made by nbgrader's own commands, its notebook released, ten notebooks handed in."""
    return once(tmp_path_factory, "handed_in", _hand_in) / "course"


def _hand_in(above: Path) -> None:
    nbgrader("quickstart", "course", cwd=above)
    root = above / "course"
    source = root / "source" / NAME / f"{NAME}.ipynb"
    source.parent.mkdir()
    source.write_text(build(load_assignment(), "en"), encoding="utf-8")
    nbgrader("generate_assignment", NAME, cwd=root)
    for student, notebook in students().items():
        folder = root / "submitted" / student / NAME
        folder.mkdir(parents=True)
        (folder / f"{NAME}.ipynb").write_bytes(data(notebook))
        (folder / "timestamp.txt").write_text("2025-05-02 10:00:00 UTC")
        (folder / "submission_secret.txt").write_text(f"secret of {student}")


def timed(command: list[str], cwd: Path) -> tuple[float, str]:
    """Seconds that a command takes, which must succeed, and what it said."""
    began = time.monotonic()
    environ = {**environment(), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env=environ)
    assert done.returncode == 0, done.stdout + done.stderr
    return time.monotonic() - began, done.stdout + done.stderr


@pytest.fixture(scope="session")
def sandboxed(handed_in: Path, tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """A copy of the course, graded by `autograder grade --nbgrader`."""

    def grade(place: Path) -> None:
        shutil.copytree(handed_in, place / "course")
        command = [sys.executable, "-m", "autograder.cli", "grade", "--nbgrader", str(place / "course")]
        (place / "took.json").write_text(json.dumps(timed(command, ROOT)))

    place = once(tmp_path_factory, "sandboxed", grade)
    return Graded(place / "course", *json.loads((place / "took.json").read_text()))


FEW = ("ana", "carla", "helena", "igor")  # right, wrong, half done, not begun


def by_nbgrader(factory: pytest.TempPathFactory, handed_in: Path, name: str, only: Collection[str]) -> Graded:
    """A copy of the course, graded by `nbgrader autograde` (in the students' own kernels)."""

    def grade(place: Path) -> None:
        root = place / "course"
        shutil.copytree(handed_in, root)
        for folder in (root / "submitted").iterdir():
            if folder.name not in only:
                shutil.rmtree(folder)
        took = timed([sys.executable, "-m", "nbgrader", "autograde", NAME], root)
        (place / "took.json").write_text(json.dumps(took))

    place = once(factory, name, grade)
    return Graded(place / "course", *json.loads((place / "took.json").read_text()))


@pytest.fixture(scope="session")
def autograded(handed_in: Path, tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """Four of the ten."""
    return by_nbgrader(tmp_path_factory, handed_in, "autograded", FEW)


@pytest.fixture(scope="session")
def all_autograded(handed_in: Path, tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """All ten."""
    return by_nbgrader(tmp_path_factory, handed_in, "all_autograded", list(students()))


@pytest.fixture
def copy_of(sandboxed: Graded, tmp_path: Path) -> Graded:
    """The graded course, to be changed by one test."""
    shutil.copytree(sandboxed.root, tmp_path / "course")
    return Graded(tmp_path / "course", 0)
