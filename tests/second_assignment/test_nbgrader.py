"""The other subject as an nbgrader assignment: graded in the sandbox, and by nbgrader's own autograde."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from autograder.assignment import Assignment
from autograder.diagnosis.entries import catalogue
from autograder.nbgrader.build.notebook import build
from autograder.nbgrader.build.sources import definition, source
from autograder.nbgrader.command import nbgrader
from autograder.nbgrader.kernel import score
from tests.second_assignment.test_handed_out import HERE, autograder

COURSE = HERE / "course.toml"
MISTAKE = "unbiased-variance"


def answers(assignment: Assignment) -> dict[str, str]:
    """Solution cell -> right code."""
    return {
        symbol: source(assignment.solutions[file], definition(assignment.solutions[file], symbol))
        for symbol, file in assignment.symbols.items()
    }


def wrong(assignment: Assignment) -> dict[str, str]:
    """The same with a known mistake in layer_norm."""
    return {**answers(assignment), "layer_norm": catalogue(assignment)[MISTAKE].variant[0].code}


def test_the_hidden_tests_score_in_a_kernel(assignment: Assignment) -> None:
    namespace: dict[str, object] = {"__name__": "__main__"}
    for cell in json.loads(build(assignment, "en", COURSE))["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "code" and not cell["id"].startswith("test-"):
            exec(text, namespace)
        elif "score(" in text:
            assert repr(str(COURSE)) in text
    exec(wrong(assignment)["layer_norm"], namespace)
    points = {e.id: score(e.id, namespace, str(COURSE)) for e in assignment.exercises}
    assert 0 < points.pop("layer_norm") < 40
    assert points == {"running_mean": 25, "block": 35}


@pytest.mark.endurance
def test_a_class_is_graded_into_nbgraders_gradebook(assignment: Assignment, tmp_path: Path) -> None:
    nbgrader("quickstart", "course", cwd=tmp_path)
    root, name = tmp_path / "course", assignment.content.notebook
    autograder("notebook", "build", "course", "--course", str(COURSE), cwd=tmp_path)
    nbgrader("generate_assignment", name, cwd=root)
    released = (root / "release" / name / assignment.notebook).read_text(encoding="utf-8")
    assert str(COURSE) not in released
    for student, code in {"ana": answers(assignment), "bruno": wrong(assignment), "chidi": {}}.items():
        notebook = json.loads(released)
        for cell in notebook["cells"]:
            cell["source"] = code.get(
                cell["metadata"].get("nbgrader", {}).get("grade_id", ""), cell["source"]
            )
        folder = root / "submitted" / student / name
        folder.mkdir(parents=True)
        (folder / assignment.notebook).write_text(json.dumps(notebook), encoding="utf-8")
    autograder("grade", "--nbgrader", "course", "--course", str(COURSE), "--lang", "pt-BR", cwd=tmp_path)
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}", "course") as book:
        found = {
            s.student.id: {g.name.removeprefix("test-"): g.auto_score for n in s.notebooks for g in n.grades}
            for s in book.assignment_submissions(name)
        }
        said = {c.name: c.auto_comment for c in book.find_submission(name, "bruno").notebooks[0].comments}
    assert found["ana"] == {e.id: e.points for e in assignment.exercises}
    assert set(found["chidi"].values()) == {0}
    assert 0 < found["bruno"]["layer_norm"] < 40
    assert found["bruno"] == {**found["ana"], "layer_norm": found["bruno"]["layer_norm"]}
    assert "variância dividida por" in said["layer_norm"].casefold()
    assert "O bloco feed-forward" in said["FeedForward"]
    assert (root / "feedback" / "ana" / name / f"{name}.html").exists()
