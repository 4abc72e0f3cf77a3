"""The runner finds the hidden tests that pytest finds, and refuses by name what it does not run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from autograder.assignment import load_assignment
from autograder.checks.runner import Unsupported, collected, hidden_tests, run
from autograder.results import Verdict
from autograder.sandbox import LocalStudent

ROOT = Path(__file__).resolve().parents[2]
TOP = (
    "import pytest\nfrom autograder.checks.check import points\nMARK = points(1, exercise='x', concept='y')\n"
)
REFUSED = {
    "a class": "class TestHeads:\n    def test_one(self): pass\n",
    "a fixture": "@pytest.fixture\ndef tokens(): return 1\n",
    "set-up": "def setup_module(module): pass\n",
    "parametrize": "@MARK\n@pytest.mark.parametrize('n', [1, 2])\ndef test_one(n): pass\n",
    "skip": "@MARK\n@pytest.mark.skip\ndef test_one(): pass\n",
    "xfail": "@MARK\n@pytest.mark.xfail\ndef test_one(): pass\n",
    "no mark": "def test_one(student): pass\n",
    "two marks": "@MARK\n@MARK\ndef test_one(student): pass\n",
    "another fixture": "@MARK\ndef test_one(student, tmp_path): pass\n",
    "a coroutine": "@MARK\nasync def test_one(student): pass\n",
    "a generator": "@MARK\ndef test_one(student): yield\n",
}


def module_of(text: str) -> ModuleType:
    module = ModuleType("test_sheet")
    exec(TOP + text, vars(module))
    return module


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_supported_is_refused_by_name(what: str):
    with pytest.raises(Unsupported, match=r"test_sheet\.\w+: .*"):
        collected(module_of(REFUSED[what]), "sheet")


def test_it_finds_what_pytest_finds():
    where = "autograder/chapter04/hidden"
    said = subprocess.run(
        [sys.executable, "-m", "pytest", where, "--collect-only", "-q", "-pno:cacheprovider"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    names = {line.split("::")[1].removeprefix("test_") for line in said.splitlines() if "::" in line}
    assert {id.partition("/")[2] for id in hidden_tests(load_assignment())} == names


def test_only_those_asked_for_are_run_in_the_courses_order():
    trusted = LocalStudent(load_assignment())
    wanted = ["mask/exactly_the_future_is_forbidden", "heads/split_shape"]
    found = run(load_assignment(), trusted, lambda: trusted, only=wanted)
    assert [(o.id, o.verdict) for o in found] == [(id, Verdict.PASSED) for id in reversed(wanted)]


def test_the_reference_is_made_only_for_a_test_that_asks():
    def never() -> LocalStudent:
        raise AssertionError

    trusted = LocalStudent(load_assignment())
    assert all(o.verdict is Verdict.PASSED for o in run(load_assignment(), trusted, never, timing=False))
