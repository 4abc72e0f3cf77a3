"""Watch mode, as a student uses it: save, look, press a key."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from exercises.selfcheck.texts import LANGUAGES, Texts
from exercises.selfcheck.watch import Watch
from tests.exercises.run import ROOT, folder

pytestmark = pytest.mark.slow
PATIENCE = 60  # seconds, on a busy machine


class Student:
    """Someone at the screen and the keyboard of a running watch mode."""

    def __init__(self, code: Path, *options: str) -> None:
        environment = os.environ | {"PYTHONIOENCODING": "utf-8", "PYTHONUNBUFFERED": "1"}
        self.code = code
        self.running = subprocess.Popen(
            [sys.executable, "-m", "exercises.selfcheck", "watch", "--code", str(code), *options],
            cwd=ROOT, env=environment, text=True, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.running.stdout is not None
        for line in self.running.stdout:
            self._lines.put(line)

    def sees(self, text: str) -> str:
        """What was written until that text was."""
        seen, end = "", time.monotonic() + PATIENCE
        while text not in " ".join(seen.split()):
            try:
                seen += self._lines.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"{text!r} is not there:\n{seen}") from None
        return seen

    def saves(self, file: str, text: str) -> None:
        (self.code / file).write_text(text, encoding="utf-8")

    def types(self, keys: str) -> None:
        assert self.running.stdin is not None
        self.running.stdin.write(keys + "\n")
        self.running.stdin.flush()


@pytest.fixture
def student(tmp_path: Path) -> Iterator[Student]:
    one = Student(folder(tmp_path / "code", {}, base="exercises"))
    yield one
    one.running.kill()
    one.running.wait()


WRONG = """
import sys


def split_heads(x, n_head):
    print("transformers loaded:", "transformers" in sys.modules)
    B, n, d = x.shape
    return x.reshape(B, n_head, n, d // n_head)
"""


def test_saved_looked_at_and_asked_for_more(student: Student) -> None:
    right = folder(student.code.parent / "right", {}).joinpath("heads.py").read_text(encoding="utf-8")
    seen = student.sees("q quit")
    assert "0 of 9 done" in seen
    student.saves("heads.py", right + WRONG)
    seen = student.sees("q quit")
    assert "First difference: head 0, token 1, number 0" in seen
    assert "transformers loaded: False" in seen
    assert "pytest" not in seen  # what helps here is a key
    student.types("h")
    assert "Hint 1 of 3" in student.sees("q quit")
    student.types("h")
    assert "Hint 2 of 3" in student.sees("q quit")
    student.saves("heads.py", right)
    student.sees("Next: The triangular mask")
    student.types("n")
    student.sees("Next: Softmax over the past")
    # Code that takes the process down is the end of that run, not of the watch.
    student.saves("mask.py", "import os\nos._exit(3)\n")
    student.sees("Change it and save: then it is tested again.")
    student.saves("mask.py", "x = 1\n")
    seen = student.sees("mask.py has no causal_mask")
    assert seen.count("done") == 3  # each exercise was tried again
    student.types("q")
    assert student.running.wait(PATIENCE) == 0


def test_the_end_of_the_input_ends_it(student: Student) -> None:
    assert student.running.stdin is not None
    student.running.stdin.close()
    assert student.running.wait(PATIENCE) == 0


class Silent:
    """A connection and a process that only remember what they are told."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def send(self, order: Any) -> None:
        self.sent.append(order)


def test_saves_while_it_works_become_one_run_of_all_that_was_saved() -> None:
    watch, line = Watch(ROOT, Texts("en")), Silent()
    watch._process, watch._connection = line, line  # type: ignore[assignment]
    for name in ("b.py", "a.py", "b.py"):
        assert watch._handled("saved", {name}) is None
    for _ in range(100):  # a key held down
        assert watch._handled("key", "n") is None
    assert line.sent == []
    for _ in range(100):
        watch._handled("idle", line)
    assert line.sent == [("saved", ("a.py", "b.py")), *[("next", ())] * 4]
    assert watch._handled("key", "q") == 0


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_folder_that_is_not_there_is_said(lang: str) -> None:
    command = [sys.executable, "-m", "exercises.selfcheck", "watch", "--code", "nowhere", "--lang", lang]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 2
    assert "--code nowhere" in done.stdout
