"""`pytest exercises/` of the other subject, in the folder as its students get it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from autograder.assignment import Assignment
from autograder.diagnosis.entries import catalogue
from autograder.diagnosis.mutants import plant
from autograder.release.known_mistakes import file_of, retold
from autograder.release.selfcheck import lay_out
from autograder.sandbox.trusted import package_names
from tests.exercises.run import Run, run

TITLES = {
    "en": ("Layer norm", "A running mean", "The feed-forward block"),
    "pt-BR": ("Layer norm", "Uma média corrente", "O bloco feed-forward"),
}


def states(r: Run, lang: str = "en") -> list[str]:
    """What the picture says of each exercise: its mark and its state."""
    found = [re.search(rf"^  .* (\S) {title} {{2,}}(.*)$", r.out, re.M) for title in TITLES[lang]]
    return [f"{one[1]} {one[2].strip()}" if one else r.out for one in found]


@pytest.fixture(scope="module")
def folder(assignment: Assignment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out(assignment, tmp_path_factory.mktemp("students")).parent


def written(assignment: Assignment, to: Path, files: dict[str, str]) -> Path:
    """A folder with the solutions, and these files in their place."""
    exercises, solutions = package_names(assignment)
    to.mkdir()
    for name, text in {**assignment.solutions, **files}.items():
        (to / name).write_text(text.replace(f"from {solutions}.", f"from {exercises}."), encoding="utf-8")
    return to


@pytest.mark.parametrize(("lang", "state"), [("en", "not written yet"), ("pt-BR", "ainda não escrito")])
def test_stubs_are_not_written_yet(folder: Path, lang: str, state: str) -> None:
    r = run("exercises/", "--hint", "--lang", lang, "-p", "no:cacheprovider", cwd=folder)
    assert r.code == 1
    assert states(r, lang) == [f"○ {state}"] * 3
    assert ("Chapter 05: Layer norm and GELU" if lang == "en" else "Capítulo 05: Layer norm e GELU") in r.out
    assert ("Over which axis" if lang == "en" else "Sobre qual eixo") in r.out


def test_solutions_are_done(folder: Path, assignment: Assignment, tmp_path: Path) -> None:
    code = written(assignment, tmp_path / "mine", {})
    r = run("exercises/", f"--code={code}", "-p", "no:cacheprovider", cwd=folder)
    assert r.code == 0, r.out
    assert states(r) == ["✓ done"] * 3


@pytest.mark.parametrize("mistake", ["unbiased-variance", "eps-outside-the-root", "normalised-over-tokens"])
def test_a_mistake_is_called_by_its_name(
    folder: Path, assignment: Assignment, tmp_path: Path, mistake: str
) -> None:
    entry = catalogue(assignment)[mistake]
    (planted,) = plant(entry, assignment)
    code = written(assignment, tmp_path / "mine", {planted.file: planted.source})
    r = run("exercises/", f"--code={code}", "-p", "no:cacheprovider", cwd=folder)
    assert r.code == 1
    wrong, right, after = states(r)
    assert wrong.startswith("✗ ")
    assert right == "✓ done"
    assert after in ("✓ done", "✗ not right; see layer_norm first")
    assert "in norm.py; section 1 of the chapter" in r.out
    assert f"with this mistake: {entry.languages['en'].name}." in r.text


def test_the_known_mistakes_are_up_to_date(assignment: Assignment) -> None:
    there = json.loads(file_of(assignment).read_text(encoding="utf-8"))
    assert retold(assignment) == there
    assert {m["id"] for m in there["mistakes"]} == set(catalogue(assignment))


def test_a_result_without_its_state_is_told(folder: Path, assignment: Assignment, tmp_path: Path) -> None:
    text = assignment.solutions["norm.py"].replace(
        "return total / count, (total, count)", "return total / count"
    )
    code = written(assignment, tmp_path / "mine", {"norm.py": text})
    r = run(
        "exercises/", f"--code={code}", "--exercise", "running_mean", "-p", "no:cacheprovider", cwd=folder
    )
    assert "running_mean must return 2 things" in r.text
