"""Runs nbgrader's own commands."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path


class NbgraderFailed(Exception):
    """nbgrader ended with an error; the text is what it printed."""


def environment() -> dict[str, str]:
    """This process's, the interpreter's own commands found first (nbgrader calls `alembic` by name)."""
    scripts = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": scripts + os.pathsep + os.environ.get("PATH", "")}


def nbgrader(*arguments: str, cwd: Path, extra: Mapping[str, str] | None = None) -> str:
    """`nbgrader …` in the folder `cwd`. Returns what it printed. Raises NbgraderFailed."""
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        env={**environment(), **(extra or {})},
    )
    if done.returncode != 0:
        raise NbgraderFailed(f"nbgrader {' '.join(arguments)}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr
