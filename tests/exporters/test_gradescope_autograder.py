"""The zip for Gradescope, laid out as Gradescope does it and run for real."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from autograder.assignment import KIT as ROOT
from autograder.assignment import load_assignment
from autograder.batch.run import NotIsolated
from autograder.cli import app
from autograder.commands import gradescope
from autograder.commands.gradescope import metadata, results_json, submitter
from autograder.course import Deadline
from autograder.exporters import Request, exporters
from autograder.feedback.texts import texts
from autograder.gradebook.students import Student
from autograder.results import Kit, SubmissionResult, TestResult, Verdict

KIT = load_assignment()
ANA = '{"id": 1, "created_at": "2027-03-03T22:00:00.5-03:00", "users": [{"name": "João", "email": "j@x.br"}]}'


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """/autograder/source: the zip, unpacked with the permissions it says."""
    place = tmp_path_factory.mktemp("autograder")
    done = exporters()["gradescope-autograder"].export(Request([], KIT, "en"))
    (place / "autograder.zip").write_bytes(done.files["autograder.zip"])
    with zipfile.ZipFile(place / "autograder.zip") as archive:
        archive.extractall(place / "source")
        for info in archive.infolist():
            os.chmod(place / "source" / info.filename, info.external_attr >> 16)
    return place / "source"


def run(source: Path, root: Path, files: dict[str, str]) -> tuple[subprocess.CompletedProcess[str], Any]:
    """run_autograder on a submission; what it printed, and results.json (None when there is none)."""
    (root / "submission").mkdir()
    (root / "results").mkdir()
    (root / "submission_metadata.json").write_text(ANA)
    for name, text in files.items():
        (root / "submission" / name).write_text(text)
    env = {**os.environ, "AUTOGRADER_SOURCE": str(source), "AUTOGRADER_PYTHON": sys.executable,
           "AUTOGRADER_ROOT": str(root)}  # fmt: skip
    done = subprocess.run(
        [source / "run_autograder"], env=env, cwd=root / "submission", capture_output=True, text=True
    )
    path = root / "results" / "results.json"
    return done, json.loads(path.read_text()) if path.exists() else None


def right() -> dict[str, str]:
    """Everything right, as a student hands it in."""
    found = (p for p in (ROOT / "solutions").glob("*.py") if p.name != "__init__.py")
    return {p.name: p.read_text().replace("from solutions.", "from exercises.") for p in found}


def valid(found: dict[str, Any]) -> None:
    """As Gradescope's documents ask for it."""
    assert isinstance(found["score"], float)
    assert found["visibility"] == "visible"
    for test in found["tests"]:
        assert 0 <= test["score"] <= test["max_score"]
        assert test["status"] in ("passed", "failed")
        assert test["visibility"] == "visible"  # one that is hidden would hide the total
        assert test["output_format"] == "md"


def test_what_gradescope_asks_for(source: Path) -> None:
    for name in ("setup.sh", "run_autograder"):
        assert (source / name).stat().st_mode & stat.S_IXUSR
        assert subprocess.run(["bash", "-n", source / name]).returncode == 0
    assert (source / "course.toml").exists()
    names = {p.relative_to(source).as_posix() for p in source.rglob("*")}
    assert not any("sample_class" in name or "__pycache__" in name or ".git" in name for name in names)
    assert not any(part.startswith(".") for name in names for part in name.split("/"))
    text = (source / "run_autograder").read_text()
    assert "--lang en\n" in text
    assert text.index("cd ") < text.index("-m autograder")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "wanted"), [("right", 100), ("wrong", 0), pytest.param("empty", 0, marks=pytest.mark.endurance)]
)
def test_a_submission(source: Path, tmp_path: Path, work: str, wanted: float) -> None:
    """A student's autograder.py in the working folder is not taken for the kit."""
    files = {
        "right": {**right(), "autograder.py": "raise SystemExit('mine')"},
        "wrong": {
            next(iter(KIT.files)): (ROOT / "exercises" / next(iter(KIT.files))).read_text() + "\n1/0\n"
        },
        "empty": {},
    }[work]
    done, found = run(source, tmp_path, files)
    assert done.returncode == 0, done.stderr
    valid(found)
    assert found["score"] == wanted
    assert sum(t["score"] for t in found["tests"]) == wanted
    assert [t["max_score"] for t in found["tests"]] == [e.points for e in KIT.exercises]
    assert found["output"].startswith("# João\n")
    assert "Traceback" not in json.dumps(found) + done.stdout + done.stderr
    assert str(source) not in json.dumps(found)


THIEF = """
def {symbol}(*_):
    import pathlib
    seen = []
    for place in ({source!r}, "/autograder/source", "/autograder/results", ".", ".."):
        for path in pathlib.Path(place).rglob("*"):
            try:
                seen.append(path.read_text()[:400])
                path.write_text("mine")
            except Exception:
                pass
    return int(" ".join(seen) or "saw nothing")
"""


@pytest.mark.slow
def test_a_thief_sees_and_changes_nothing(source: Path, tmp_path: Path) -> None:
    before = {p: p.read_bytes() for p in source.rglob("*") if p.is_file()}
    first = KIT.exercises[0]
    loot = THIEF.format(source=str(source), symbol=first.symbols[0])
    done, found = run(source, tmp_path, {first.file: right()[first.file] + loot})
    assert found["tests"][0]["score"] == 0
    told = json.dumps(found) + done.stdout + done.stderr
    assert "saw nothing" in told
    assert str(KIT.course.seed) not in told
    assert "def test_" not in told
    assert {p: p.read_bytes() for p in before} == before


@pytest.mark.slow
def test_another_assignment(tmp_path: Path) -> None:
    """One that lies elsewhere comes along whole."""
    course = ROOT / "tests" / "second_assignment" / "course.toml"
    other = load_assignment(course)
    done = exporters()["gradescope-autograder"].export(Request([], other, "en", course=course))
    (tmp_path / "a.zip").write_bytes(done.files["autograder.zip"])
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        archive.extractall(tmp_path / "source")
    os.chmod(tmp_path / "source" / "run_autograder", 0o700)
    first = other.exercises[0]
    text = (course.parent / "solutions" / first.file).read_text()
    _, found = run(tmp_path / "source", tmp_path, {first.file: text})
    assert found["tests"][0]["score"] == first.points
    assert len(found["tests"]) == len(other.exercises)


def result(**more: object) -> SubmissionResult:
    """Full points in the first exercise."""
    first = KIT.exercises[0]
    test = TestResult(id="a/a", exercise=first.id, concept="c", verdict=Verdict.PASSED, points=first.points,
                      max_points=first.points)  # fmt: skip
    fields = {
        "student": "x",
        "score": first.points,
        "isolation": "strong",
        "kit": Kit(version="0"),
        "tests": [test],
    }
    return SubmissionResult.model_validate({**fields, **more})


def test_the_time_is_gradescope_s_and_not_the_clock_s(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(ANA)
    student = submitter(tmp_path / "m.json")
    assert student == Student("submission", "João", submitted_at="2027-03-03T22:00:00.5-03:00")
    due = Deadline.model_validate({"at": "2027-03-02T23:00:00-03:00", "rate": 10, "of": "raw"})
    late = KIT.model_copy(update={"deadline": due})
    found = results_json(result(), student, texts("en", late))
    full = Decimal(str(KIT.exercises[0].points))
    assert Decimal(str(found["score"])) == full - full / 10
    assert found["extra_data"]["why"]
    again = Student("submission", "João", submitted_at="")
    assert results_json(result(), again, texts("en", late))["score"] == float(full)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", "[" * 100_000, '{"users": 3, "created_at": 5}', '{"users": ["x", null, {}]}', "\0", "{}"],
)
def test_metadata_that_is_odd(tmp_path: Path, text: str) -> None:
    (tmp_path / "m.json").write_text(text)
    assert isinstance(metadata(tmp_path / "m.json"), dict)
    assert submitter(tmp_path / "m.json").name == "submission"
    assert submitter(tmp_path / "nothing.json").submitted_at == ""


@pytest.mark.parametrize("lang", KIT.languages)
def test_a_machine_that_cannot_isolate_gives_no_points_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lang: str
) -> None:
    def refuse(*_: object) -> None:
        raise NotIsolated("no namespaces: /usr/bin/secret")

    other = KIT.model_copy(update={"course": KIT.course.model_copy(update={"language": lang})})
    monkeypatch.setattr(gradescope, "load_assignment", lambda course: other)
    monkeypatch.setattr(gradescope, "grade_class", refuse)
    done = CliRunner().invoke(app, ["gradescope-run", "--root", str(tmp_path)])
    again = CliRunner().invoke(app, ["gradescope-run", "--root", str(tmp_path / "x"), "--lang", lang])
    assert done.exit_code == again.exit_code == 0
    assert (tmp_path / "x" / "results" / "results.json").read_text().count("0.0") == 1
    found = json.loads((tmp_path / "results" / "results.json").read_text())
    valid(found)
    assert (found["score"], found["tests"]) == (0, [])
    assert found["output"] == texts(lang, KIT)("gradescope.not_isolated")
    assert "secret" not in json.dumps(found) + done.output


def test_a_fault_of_the_grader_costs_nobody_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without results.json Gradescope says that the autograder failed."""
    broken = result(score=0.0)
    broken.tests[0] = broken.tests[0].model_copy(update={"verdict": Verdict.GRADER_FAULT, "points": 0.0})
    monkeypatch.setattr(gradescope, "graded", lambda *_: broken)
    done = CliRunner().invoke(app, ["gradescope-run", "--root", str(tmp_path)])
    assert done.exit_code == 1
    assert not (tmp_path / "results").exists()
    assert "no fault of yours" in done.output
