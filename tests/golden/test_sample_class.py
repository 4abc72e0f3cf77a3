"""The sample class, graded as an instructor would: every score, mistake and reason as expected.

`pytest tests/golden --update-golden` writes sample_class.json anew; read the difference before you keep it.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autograder.assignment import KIT as ROOT
from autograder.assignment import load_assignment

GOLDEN = Path(__file__).parent / "sample_class.json"
EXERCISES = [e.id for e in load_assignment().exercises]
CLASS = ROOT / "autograder" / "chapter04" / "sample_class"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("graded") / "out"
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "grade", str(CLASS), "--out", str(out)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=1200,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr  # one cannot be read
    assert "Traceback" not in done.stdout + done.stderr
    return out


def rows(out: Path) -> list[dict[str, str]]:
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def graded(out: Path) -> dict[str, Any]:
    """What is compared: points and mistakes per exercise, flags and problems; no seconds, no versions."""
    found = {}
    for row in rows(out):
        result = json.loads((out / row["student"] / "result.json").read_text(encoding="utf-8"))
        mistakes: dict[str, list[str]] = {}
        for test in result["tests"]:
            if test["points"] < test["max_points"]:
                known = mistakes.setdefault(test["exercise"], [])
                known += [m for m in test["mistakes"] if m not in known]
        followed = sorted({t["exercise"] for t in result["tests"] if t["follow_through"]})
        found[row["student"]] = {
            "score": row["score"],
            "points": {k: v for k, v in row.items() if k in EXERCISES},
            "wrong": mistakes,
            "followed_through": followed,
            "flags": sorted({f["id"] for f in result["flags"]}),
            "problems": [p["id"] for p in result["problems"]],
        }
    return found


def test_scores_mistakes_and_reasons(out: Path, request: pytest.FixtureRequest) -> None:
    got = graded(out)
    if request.config.getoption("--update-golden"):
        GOLDEN.write_text(json.dumps(got, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert got == json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_everyone_has_a_row_and_pages(out: Path) -> None:
    students = {p.name.removesuffix(".zip") for p in CLASS.iterdir() if not p.name.startswith(".")}
    assert {row["student"] for row in rows(out)} == students
    assert (out / "class.html").stat().st_size > 1000
    for student in students:
        for name in ("result.json", "feedback.html", "feedback.md"):
            assert (out / student / name).exists(), f"{student}/{name}"


def test_right_code_in_every_style_has_full_marks(out: Path) -> None:
    scores = {row["student"]: row["score"] for row in rows(out)}
    right = ("ana-souza", "bruno-lima", "chidi-okafor", "daniela-reis", "rafael-gomes")
    assert [scores[s] for s in right] == ["100"] * 5


def test_a_wrong_split_keeps_all_other_points(out: Path) -> None:
    (row,) = [row for row in rows(out) if row["student"] == "elif-yilmaz"]
    assert float(row["score"]) >= 100 - 12
    assert float(row["split_heads"]) < 12


def test_the_attack_earns_nothing_and_leaves_nothing(out: Path) -> None:
    (row,) = [row for row in rows(out) if row["student"] == "pedro-nunes"]
    assert row["score"] == "0"
    assert not Path("/tmp/pedro-was-here").exists()
    whole = (out / "pedro-nunes" / "result.json").read_text(encoding="utf-8")
    assert "root:" not in whole  # /etc/passwd
