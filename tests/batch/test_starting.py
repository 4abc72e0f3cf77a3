"""Judge processes that are forked: what they leave behind, and which kit they are."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.assignment import KIT as ROOT
from autograder.assignment import load_assignment
from autograder.batch import judges as judges_module
from autograder.batch.child import START, Child, Start
from autograder.batch.job import Job, Ready, Setting
from autograder.batch.judges import Judges, OtherKit, grade
from autograder.identity import code
from autograder.intake import Submission
from tests.batch.helpers import FAKE

pytestmark = pytest.mark.skipif(START != "forkserver", reason="judge processes fork on Linux only")


def setting(hidden: str = "x") -> Setting:
    return Setting(assignment=load_assignment(), hidden=hidden)


def job(words: str, hidden: str = "x") -> Job:
    return Job.of(Submission("ana", {"heads.py": words.encode()}), setting(hidden))


LEAVES_NOBODY = """
import atexit, ctypes, os
@atexit.register  # before the kit is imported, so it is asked after all that the kit does at the end
def ask():
    try:
        print(os.waitpid(-1, os.WNOHANG))
    except ChildProcessError:
        print("nobody")
from tests.batch.test_starting import FAKE, Judges, grade, job, setting
PR_SET_CHILD_SUBREAPER = 36  # whoever is orphaned below comes to us, as to PID 1 of a container
assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1) == 0
for _ in range(2):
    judges = Judges(FAKE)
    judges.expect(setting(), 2)
    assert grade(job("score 40"), judges).result.score == 40
    assert grade(job("die"), judges).fault
    judges.close()
"""


def test_nobody_is_left_to_be_cleared_away() -> None:
    """In many containers PID 1 clears nobody away, and each would stay for good."""
    done = subprocess.run(
        [sys.executable, "-c", LEAVES_NOBODY], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("nobody\n", 0), done.stderr


@pytest.mark.parametrize("pipes", [0, 1])
def test_no_descriptor_is_left_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch, pipes: int) -> None:
    Child(FAKE).end(3)
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    real, left = os.pipe, [None] * pipes

    def pipe() -> tuple[int, int]:
        if not left:
            raise OSError(24, "Too many open files")
        left.pop()
        return real()

    monkeypatch.setattr(os, "pipe", pipe)
    with pytest.raises(OSError, match="Too many open files"):
        Child(FAKE)
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before


def test_another_kit_is_not_forked_from_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    class Noted(Child):
        def __init__(self, module: str, start: Start) -> None:
            started.append(start)
            super().__init__(module, start)

    monkeypatch.setattr(judges_module, "Child", Noted)
    monkeypatch.setattr(judges_module, "_IMPORTED", [])
    judges = Judges(FAKE)
    try:
        for kit in ("one", "one", "two", "one"):
            assert grade(job("score 10", kit), judges).result
    finally:
        judges.close()
    assert started == ["forkserver", "spawn", "forkserver"]


@pytest.mark.slow
@pytest.mark.parametrize("start", ["spawn", "forkserver"])
def test_a_judge_process_is_of_the_kit_that_was_imported(start: Start) -> None:
    """The kit's files may have become others since: then it must not grade in their name."""
    child = Child("tests.batch.bad_judges.changed_since", start)
    child.send(setting().line().encode())
    ready = Ready.model_validate_json(child.reply() or b"")
    child.end(3)
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


# What Python, multiprocessing and a judge import first, and what students may call a file.
NAMES = [
    "json",
    "torch",
    "multiprocessing",
    "signal",
    "threading",
    "socket",
    "autograder",
    "typing",
    "numbers",
    "copy",
]


@pytest.mark.slow
@pytest.mark.parametrize("start", ["spawn", "forkserver"])
def test_nothing_is_imported_from_the_folder_that_somebody_stands_in(tmp_path: Path, start: str) -> None:
    """It may be a student's."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write('{name} ')\n")
    text = (
        "from autograder.batch.child import Child\n"
        "if __name__ == '__main__':\n"
        f"    child = Child('autograder.batch.process', {start!r})\n"
        "    child.send(b'{}')\n"
        "    child.reply()\n"
        "    print(child.how_it_ended())\n"
        "    child.end(3)\n"
    )
    script = tmp_path / "elsewhere" / "script.py"
    script.parent.mkdir()
    script.write_text(text)
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()
    assert "pydantic" in done.stdout, done.stderr  # b"{}" is no setting
