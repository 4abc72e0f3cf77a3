"""What a grade depends on is in its hash: nobody keeps a list of it by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from autograder import identity
from autograder.assignment import KIT as ROOT
from autograder.assignment import load_assignment

# Prints all files that are imported when one wrong submission is read, judged and its mistake named.
IMPORTED = """
import sys
import autograder.batch.process, autograder.intake
from autograder.assignment import load_assignment
from autograder.grading.judge import judge
from autograder.sandbox import Sandbox, reference_files
files = {**reference_files(load_assignment()), "heads.py": b"def split_heads(x, n_head):\\n    return x"}
with Sandbox(load_assignment(), "unsafe") as sandbox:
    judge(autograder.intake.Submission("x", files), load_assignment(), sandbox, timing=False)
for module in list(sys.modules.values()):
    if getattr(module, "__file__", None):
        print(module.__file__)
"""


@pytest.mark.slow
def test_everything_that_a_judge_imports_is_in_the_hash():
    command = [sys.executable, "-c", IMPORTED]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    ours = {Path(line) for line in said.splitlines() if Path(line).is_relative_to(ROOT)}
    ours = {p for p in ours if ".venv" not in p.parts}
    assert ROOT / "autograder" / "results.py" in ours
    assert sorted(ours - {p for _, p in identity.graded_by(load_assignment())}) == []


DECIDES = ("autograder/results.py", "autograder/assignment.py", "autograder/intake/read.py", "lab/gpt2.py")


@pytest.mark.parametrize("name", [*DECIDES, "solutions/heads.py", "exercises/heads.py"])
def test_a_changed_file_makes_old_grades_old(name: str, monkeypatch: pytest.MonkeyPatch):
    before = identity.code(load_assignment())
    read = Path.read_bytes
    changed = ROOT / name
    monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + b"\n#" * (path == changed))
    identity._CODE.clear()
    assert identity.code(load_assignment()) != before
    identity._CODE.clear()


def test_pages_and_commands_leave_grades_as_they_are():
    parts = {p.relative_to(ROOT).parts for _, p in identity.graded_by(load_assignment())}
    assert not {p for p in parts if p[:2] in {("autograder", "feedback"), ("autograder", "commands")}}
