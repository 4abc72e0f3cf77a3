"""Judge processes that are forked: what they leave behind, and which kit they are."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from autograder.assignment import KIT as ROOT
from autograder.assignment import load_assignment
from autograder.batch.job import Job, Ready, Setting
from autograder.batch.judges import Judges, OtherKit, grade
from autograder.batch.starting import FORKS, Forked, Warm
from autograder.identity import code
from autograder.intake import Submission
from tests.batch.helpers import FAKE

pytestmark = pytest.mark.skipif(not FORKS, reason="judge processes fork on Linux only")


def setting(hidden: str = "x") -> Setting:
    return Setting(assignment=load_assignment(), hidden=hidden)


def job(words: str, hidden: str = "x") -> Job:
    return Job.of(Submission("ana", {"heads.py": words.encode()}), setting(hidden))


LEAVES_NOBODY = """
import ctypes, os
from tests.batch.test_starting import FAKE, Judges, grade, job, setting
PR_SET_CHILD_SUBREAPER = 36  # whoever is orphaned below comes to us, as to PID 1 of a container
assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1) == 0
for _ in range(2):
    judges = Judges(FAKE, forks=True)
    judges.expect(setting(), 2)
    assert grade(job("score 40"), judges).result.score == 40
    assert grade(job("die"), judges).fault
    judges.close()
try:
    print(os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print("nobody")
"""


def test_nobody_is_left_to_be_cleared_away() -> None:
    """In many containers PID 1 clears nobody away, and each would stay for good."""
    done = subprocess.run(
        [sys.executable, "-c", LEAVES_NOBODY], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("nobody\n", 0), done.stderr


@pytest.mark.parametrize("pipes", [0, 1, 2])
def test_no_descriptor_is_left_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch, pipes: int) -> None:
    warm = Warm(FAKE)
    before = len(os.listdir("/proc/self/fd"))
    real, left = os.pipe, [None] * pipes

    def pipe() -> tuple[int, int]:
        if not left:
            raise OSError(24, "Too many open files")
        left.pop()
        return real()

    monkeypatch.setattr(os, "pipe", pipe)
    with pytest.raises(OSError, match="Too many open files"):
        Forked(warm)
    assert len(os.listdir("/proc/self/fd")) == before
    warm.close()


def test_another_kit_has_another_warm_process() -> None:
    judges = Judges(FAKE, forks=True)
    try:
        assert grade(job("score 10", "one"), judges).result
        first = judges._warm
        assert grade(job("score 20", "one"), judges).result
        assert judges._warm is first
        assert grade(job("score 30", "two"), judges).result
        assert judges._warm is not first
    finally:
        judges.close()


CHANGED_SINCE = """
from autograder import identity
from autograder.batch import process

identity._digest = lambda parts: "of the files as they are now"
process.main()
"""


@pytest.mark.slow
def test_a_fork_is_of_the_kit_that_was_imported() -> None:
    """The kit's files may have become others since: then it must not grade in their name."""
    command = [sys.executable, "-c", CHANGED_SINCE]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as judge:
        assert judge.stdin is not None
        assert judge.stdout is not None
        judge.stdin.write(setting().line() + "\n")
        judge.stdin.flush()
        ready = Ready.model_validate_json(judge.stdout.readline())
        judge.stdin.close()
    assert ready.hidden == code(load_assignment())


@pytest.mark.slow
def test_a_judge_of_another_kit_is_not_used() -> None:
    judges = Judges()
    try:
        judges.expect_some()
        with pytest.raises(OtherKit), judges.lease(setting("of the files as they are now")):
            pass
    finally:
        judges.close()
