"""The commands on the screen work as they stand, however the run was started."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from exercises.selfcheck import commands
from exercises.selfcheck.explain import with_command


@pytest.fixture
def venv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with programs of that name, none of which the shell finds; this Python is one of them."""
    folder = tmp_path / ".venv" / "bin"
    folder.mkdir(parents=True)
    for name in ("python", "pytest"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    return folder


@pytest.mark.parametrize(
    ("argv", "on_path", "typed"),
    [("pytest", True, "pytest"), ("pytest", False, ".venv/bin/pytest"),
     ("pytest/__main__.py", True, "python -m pytest"),
     ("pytest/__main__.py", False, ".venv/bin/python -m pytest")],
)  # fmt: skip
def test_pytest_as_it_was_started(
    argv: str, on_path: bool, typed: str, venv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [str(venv / argv)])
    if on_path:
        monkeypatch.setenv("PATH", str(venv))
    assert commands.pytest(tmp_path) == typed


def test_another_program_of_that_name_is_not_this_one(
    venv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "system"
    other.mkdir()
    (other / "pytest").symlink_to(venv / "pytest")  # the same file, but it would be called without the venv
    monkeypatch.setenv("PATH", str(other))
    monkeypatch.setattr(sys, "argv", [str(venv / "pytest")])
    assert commands.pytest(tmp_path) == ".venv/bin/pytest"


def test_a_command_is_never_broken_between_two_lines() -> None:
    command = ".venv/bin/python -m pytest exercises --exercise concat_and_project --lang pt-BR"
    lines = with_command(f"To run only its tests: {command}", ".venv/bin/python -m pytest", "  ")
    assert lines == ["  To run only its tests:", f"    {command}"]
