"""What students and instructors of the other subject get: notebook, release, and the kit's promises."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograder import kitcheck
from autograder.assignment import Assignment, load_assignment
from autograder.nbgrader.build.notebook import build
from tests.exercises.run import run

HERE = Path(__file__).parent
CONTENT = ("course.toml", "chapter", "exercises", "solutions")


def autograder(*arguments: str, cwd: Path) -> str:
    command = [sys.executable, "-m", "autograder", *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def copied(to: Path) -> Path:
    """The content alone, where nothing of the kit is beside it. Gives its course.toml."""
    for name in CONTENT:
        if (HERE / name).is_dir():
            shutil.copytree(HERE / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(HERE / name, to / name)
    return to / "course.toml"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy with its notebook built."""
    path = copied(tmp_path_factory.mktemp("author"))
    autograder("notebook", "build", "--course", str(path), cwd=path.parent.parent)
    return path


def test_what_is_released_runs_and_gives_nothing_away(course: Path, tmp_path: Path) -> None:
    said = autograder("release", "--course", str(course), "--lang", "pt-BR", "--out", "handed", cwd=tmp_path)
    assert "there is no solution, no hidden test and no known mistake" in said
    top = tmp_path / "handed" / "layer_norm"
    assert (tmp_path / "handed" / "layer_norm.zip").exists()
    assert "Cada token por si" in (top / "exercises" / "norm.py").read_text(encoding="utf-8")
    r = run("exercises/", cwd=top)
    assert "0 de 3 prontos" in r.out
    shutil.copytree(HERE / "solutions", top / "solutions")
    assert "3 de 3 prontos" in run("exercises/", "--code=solutions", cwd=top).out


@pytest.mark.parametrize("lang", ["en", "pt-BR"])
def test_the_solved_notebook_passes_its_public_tests(
    assignment: Assignment, lang: str, capsys: pytest.CaptureFixture[str]
) -> None:
    namespace: dict[str, object] = {"__name__": "__main__"}
    for cell in json.loads(build(assignment, lang))["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "code":
            exec(text.split("### BEGIN HIDDEN TESTS")[0], namespace)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("[")]
    assert len(lines) == 11
    assert all(line.startswith("[ok]") for line in lines)


def test_the_notebook_has_hints_and_a_cell_for_each_symbol(assignment: Assignment) -> None:
    cells = json.loads(build(assignment, "en"))["cells"]
    ids = [cell["id"] for cell in cells]
    assert {*assignment.symbols, *(f"test-{e.id}" for e in assignment.exercises)} <= set(ids)
    about = "".join(cells[ids.index("about-block")]["source"])
    assert about.count("<details>") == 3


def test_what_is_missing_is_found(tmp_path: Path) -> None:
    path = copied(tmp_path)
    for name, line in {
        "exercises/texts/pt-BR.toml": '[test.norm.the_mean_goes_on]\ntitle = "a média continua de onde parou"\n',
        "chapter/docstrings/pt-BR.toml": 'running_mean = "A média de todas as linhas até aqui: '
        'x (n, d) -> ((d,), o estado para continuar)."\n',
        "chapter/messages/pt-BR.toml": '"concept.norm/eps" = "eps mantém pequenos os números pequenos"\n',
    }.items():
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert line in text
        (tmp_path / name).write_text(text.replace(line, ""), encoding="utf-8")
    found = kitcheck.messages_complete(load_assignment(path))
    assert len(found) == 3, found
    for missing in ("test.norm.the_mean_goes_on.title", "running_mean", "concept.norm/eps"):
        assert any(missing in line for line in found)


@pytest.mark.endurance
def test_check_kit_finds_nothing(course: Path, tmp_path: Path) -> None:
    said = autograder("check-kit", "--course", str(course), cwd=tmp_path)
    assert said.count("\nyes  ") == len(kitcheck.CHECKS)
