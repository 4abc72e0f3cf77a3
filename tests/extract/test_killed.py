"""A process that reads students' text and is killed from outside costs no student a point."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from autograder.assignment import load_assignment
from autograder.extract import reading
from autograder.extract.reading import Text, choose

HEADS = Text(("heads.py",), "heads.py", b"def split_heads(x, n_head):\n    return x\n", False, "heads.py")


def killed(times: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The first of these processes are killed at once; what each of all came to."""
    real, codes = subprocess.run, []

    def run(command: list[str], **options: Any) -> Any:
        done = real(["sh", "-c", "kill -9 $$"] if len(codes) < times else command, **options)
        codes.append(done.returncode)
        return done

    monkeypatch.setattr(reading.subprocess, "run", run)
    return codes


def test_killed_once_it_is_started_again(monkeypatch: pytest.MonkeyPatch):
    codes = killed(1, monkeypatch)
    got = choose([HEADS], load_assignment())
    assert codes == [-9, 0]
    assert got.written
    assert "heads.py" in got.files


def test_killed_again_and_again_there_is_a_reason_and_nothing_to_grade(monkeypatch: pytest.MonkeyPatch):
    codes = killed(9, monkeypatch)
    got = choose([HEADS], load_assignment())
    assert codes == [-9, -9]
    assert (dict(got.files), [p.id for p in got.problems]) == ({}, ["notebook.limits"])
