"""Runs `pytest exercises/` as a student does: in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ("heads.py", "mask.py", "attention.py", "kv_cache.py")
NO_GPT2 = "--ignore=exercises/test_gpt2.py"  # saves the import of transformers


@dataclass
class Run:
    """What came of it."""

    code: int
    out: str  # stdout and stderr

    @property
    def text(self) -> str:
        """All words on one line."""
        return " ".join(self.out.split())

    def state(self, title: str) -> str:
        """What the picture says of the exercise with that title: its mark and its state."""
        for line in self.out.splitlines():
            if f" {title} " in line and line.startswith("  "):
                before, after = line.split(f" {title} ", 1)
                return f"{before.strip().split()[-1]} {after.strip()}"
        raise AssertionError(f"{title!r} is not in the picture:\n{self.out}")


def run(*args: str, cwd: Path = ROOT, encoding: str = "utf-8", real: bool = False, **env: str) -> Run:
    """python -m pytest ARGS in `cwd`, on a console with that encoding; `real`: started from nothing."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTEST_ADDOPTS", "EXERCISES_LANG")}
    environment |= {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "COLUMNS": "80", **env}
    arguments = ["-p", "no:randomly", *args]
    if real or not hasattr(os, "fork"):
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *arguments],
            cwd=cwd,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=600,
        )
        code, data = done.returncode, done.stdout
    else:
        with tempfile.TemporaryDirectory() as scratch:
            out = Path(scratch) / "out"
            order = {"args": arguments, "cwd": str(cwd), "env": environment}
            order |= {"encoding": encoding, "out": str(out)}
            server = _warm()
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write(json.dumps(order) + "\n")
            server.stdin.flush()
            code = int(server.stdout.readline())
            data = out.read_bytes()
    return Run(code, data.decode(encoding).replace("\r\n", "\n"))


@cache
def _warm() -> subprocess.Popen[str]:
    """It ends with this process: its standard input is closed."""
    return subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("warm.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


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
