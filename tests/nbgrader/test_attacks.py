"""What earns full marks in nbgrader earns nothing in the sandbox."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.nbgrader.attacks import ATTACKS, HONEST, notebook
from tests.nbgrader.conftest import NAME, Graded, timed
from tests.nbgrader.handed_in import ROOT, data

pytestmark = pytest.mark.slow

# A kernel in short: the cells in order in one namespace, the kit's own scoring, no sandbox.
KERNEL = """
import json, sys
from autograder.nbgrader.kernel import result_of
namespace = {"__name__": "__main__"}
for cell in json.load(sys.stdin)["cells"]:
    name = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
    if name == "test-merge_heads":
        print("POINTS", sum(t.points for t in result_of("split_heads", namespace).tests))
        break
    if cell["cell_type"] == "code" and not name.startswith("test-"):
        exec("".join(cell["source"]), namespace)
"""


@pytest.fixture(scope="module")
def attacked(handed_in: Path, tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """A course of attackers, and of people who tried nothing and got nothing right."""
    root = tmp_path_factory.mktemp("attacked").resolve() / "course"
    shutil.copytree(handed_in, root)
    shutil.rmtree(root / "submitted")
    for name, text in {**ATTACKS, **HONEST}.items():
        folder = root / "submitted" / name / NAME
        folder.mkdir(parents=True)
        (folder / f"{NAME}.ipynb").write_bytes(data(notebook(text, root / "gradebook.db")))
    command = [sys.executable, "-m", "autograder.cli", "grade", "--nbgrader", str(root), "--no-timing"]
    return Graded(root, *timed(command, ROOT))


@pytest.mark.parametrize("attack", ATTACKS)
def test_it_earns_nothing(attacked: Graded, attack: str) -> None:
    scores = attacked.scores()
    # Some tests want an error, or the input back unchanged: nothing to do with the attack.
    for cell, points in scores[attack].items():
        assert points is not None
        assert points <= max(scores[honest][cell] or 0 for honest in HONEST), cell


def test_the_gradebook_is_as_the_kit_wrote_it(attacked: Graded) -> None:
    with sqlite3.connect(attacked.root / "gradebook.db") as db:
        assert db.execute("select count(*) from grade where manual_score is not null").fetchone() == (0,)
    assert not (attacked.root / "gradebook.db.touched").exists()


def test_where_there_is_no_sandbox_it_does_work(attacked: Graded, tmp_path: Path) -> None:
    """So the tests above can fail: without a sandbox the same notebook has its points."""
    book = tmp_path / "gradebook.db"
    shutil.copyfile(attacked.root / "gradebook.db", book)
    for attack, earns in (("reads-the-disk", 12), ("writes-the-gradebook", None)):
        done = subprocess.run(
            [sys.executable, "-c", KERNEL],
            input=data(notebook(ATTACKS[attack], book)),
            capture_output=True,
            cwd=ROOT,
            check=True,
        )
        if earns:
            assert f"POINTS {earns}" in done.stdout.decode()
    with sqlite3.connect(book) as db:
        assert db.execute("select count(*) from grade where manual_score = 12").fetchone() != (0,)
