"""The engine takes another subject: content in this folder, and no line of Python for it anywhere else."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.assignment import Assignment
from autograder.checks.marks import misfits
from autograder.checks.runner import hidden_tests, run
from autograder.diagnosis import diagnose
from autograder.diagnosis.entries import catalogue
from autograder.diagnosis.mutants import plant
from autograder.feedback.texts import texts
from autograder.sandbox import Sandbox, reference_files

HERE = Path(__file__).parent
AUTOGRADER = (sys.executable, "-m", "autograder")


@pytest.fixture(scope="module")
def sandbox(assignment: Assignment) -> Iterator[Sandbox]:
    with Sandbox(assignment) as one:
        yield one


def test_the_content_fits_together(assignment: Assignment) -> None:
    assert assignment.root == HERE
    assert misfits(assignment) == []
    assert assignment.languages == ("en", "pt-BR")
    for lang in assignment.languages:
        say = texts(lang, assignment)
        assert [id for id in hidden_tests(assignment) if not say.known(f"concept.{id}")] == []


def test_the_solutions_earn_everything(assignment: Assignment, sandbox: Sandbox) -> None:
    with sandbox.student(reference_files(assignment)) as student:
        found = run(assignment, student, lambda: student)
    assert sum(o.max_points for o in found if o.earns) == 100


def test_stubs_earn_nothing(assignment: Assignment, sandbox: Sandbox) -> None:
    files = {name: text.encode() for name, text in assignment.stubs.items()}
    with sandbox.student(files) as student:
        assert not any(o.earns for o in run(assignment, student, lambda: student))


@pytest.mark.parametrize("mistake", ["unbiased-variance", "eps-outside-the-root", "normalised-over-tokens"])
def test_a_mistake_is_called_by_its_name(mistake: str, assignment: Assignment, sandbox: Sandbox) -> None:
    (planted,) = plant(catalogue(assignment)[mistake], assignment)
    files = {**reference_files(assignment), planted.file: planted.source.encode()}
    with sandbox.student(files) as student:
        assert any(not o.earns for o in run(assignment, student, lambda: student))
        assert diagnose(student, "layer_norm", assignment, files).mistakes == [mistake]


@pytest.fixture(scope="module")
def graded(assignment: Assignment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of three, graded by the command, from a folder that has nothing to do with either."""
    folder = tmp_path_factory.mktemp("second")
    right = reference_files(assignment)
    (wrong,) = plant(catalogue(assignment)["unbiased-variance"], assignment)
    for name, files in {
        "ana": right,
        "bruno": {**right, wrong.file: wrong.source.replace("from solutions.", "from exercises.").encode()},
        "chidi": {},
    }.items():
        (folder / "class" / name).mkdir(parents=True)
        for file, data in {file: text.encode() for file, text in assignment.stubs.items()}.items():
            (folder / "class" / name / file).write_bytes(files.get(file, data))
    command = [*AUTOGRADER, "grade", "class", "--course", str(HERE / "course.toml"), "--lang", "pt-BR"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "feedback"


def test_a_class_is_graded(graded: Path) -> None:
    with (graded / "grades.csv").open(encoding="utf-8", newline="") as file:
        score = {row["student"]: float(row["score"]) for row in csv.DictReader(file)}
    assert score["ana"] == 100
    assert score["chidi"] == 0
    assert 0 < score["bruno"] < 100
    result = json.loads((graded / "bruno" / "result.json").read_text(encoding="utf-8"))
    assert {m for t in result["tests"] for m in t["mistakes"]} == {"unbiased-variance"}
    lost = {t["exercise"] for t in result["tests"] if t["points"] < t["max_points"]}
    assert lost == {"layer_norm"}, "the block around it is judged with the right one"


def test_pages_in_both_languages(graded: Path, assignment: Assignment) -> None:
    command = [*AUTOGRADER, "feedback", str(graded), "--course", str(HERE / "course.toml")]
    for lang, name in (("en", "variance divided by"), ("pt-BR", "variância dividida por")):
        subprocess.run([*command, "--lang", lang], cwd=graded, check=True, capture_output=True)
        page = (graded / "bruno" / "feedback.html").read_text(encoding="utf-8").casefold()
        assert name in page
        assert texts(lang, assignment)("concept.norm/values") in page
        assert (graded / "class.html").exists()
