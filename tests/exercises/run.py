"""Runs `pytest exercises/` as a student does: in a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ("heads.py", "mask.py", "attention.py", "kv_cache.py")
NO_GPT2 = "--ignore=exercises/test_gpt2.py"  # saves the import of transformers


@dataclass
class Run:
    """What came of it."""

    code: int
    out: str  # stdout and stderr

    def state(self, title: str) -> str:
        """What the picture says of the exercise with that title: its mark and its state."""
        for line in self.out.splitlines():
            if f" {title} " in line and line.startswith("  "):
                before, after = line.split(f" {title} ", 1)
                return f"{before.strip().split()[-1]} {after.strip()}"
        raise AssertionError(f"{title!r} is not in the picture:\n{self.out}")


def run(*args: str, cwd: Path = ROOT, encoding: str = "utf-8", **env: str) -> Run:
    """python -m pytest ARGS in `cwd`, on a console with that encoding."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTEST_ADDOPTS", "EXERCISES_LANG")}
    environment |= {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "COLUMNS": "80", **env}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:randomly", *args],
        cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=180,
    )  # fmt: skip
    return Run(done.returncode, done.stdout.decode(encoding).replace("\r\n", "\n"))


def folder(path: Path, changes: dict[str, str | bytes], base: str = "solutions") -> Path:
    """A folder with the four files of `base`, and `changes`: code to append, or bytes in a file's place."""
    path.mkdir(parents=True, exist_ok=True)
    for file in FILES:
        text = (ROOT / base / file).read_text(encoding="utf-8").replace("from solutions.", "from exercises.")
        change = changes.get(file, "")
        if isinstance(change, bytes):
            (path / file).write_bytes(change)
        else:
            (path / file).write_text(text + ("\n\n" + change if change else ""), encoding="utf-8")
    return path


def copied(to: Path, *folders: str) -> Path:
    """A copy of these folders of the repo alone, as a student gets them."""
    for name in folders:
        shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
    return to
