"""The commands that the student reads: they work as they stand, the way this run was started."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from exercises.selfcheck.texts import Texts


@dataclass(frozen=True)
class Commands:
    """What to type, or to press, for more."""

    way: str = "ui"  # "ui" a terminal, "watch" watch mode, "notebook" a notebook: the table of texts/
    pytest: str = "pytest"
    python: str = "python"
    folder: str = "exercises"
    lang: str = ""  # " --lang pt-BR", when the language was asked for
    code: str = ""  # " --code FOLDER", likewise

    @property
    def more(self) -> str:
        """Options of this run that the next one needs, too."""
        return self.lang + self.code

    def say(self, texts: Texts, key: str, **params: object) -> str:
        """The sentence with the command in it; empty where there is none."""
        if not texts.get(f"{self.way}.{key}"):
            return ""
        return texts(f"{self.way}.{key}", pytest=self.pytest, folder=self.folder, more=self.more, **params)


def python(cwd: Path) -> str:
    """This Python, as it is called from `cwd`: by its name when the shell finds it by that, else by its path."""
    for name in ("python", "python3", "py"):
        found = shutil.which(name)
        if found and _same(Path(found), Path(sys.executable)):
            return name
    return _typed(Path(sys.executable), cwd)


def pytest(cwd: Path) -> str:
    """pytest as this run was started: `pytest`, `.venv/bin/pytest` or `.venv/bin/python -m pytest`."""
    started = Path(sys.argv[0])
    if started.stem not in ("pytest", "py.test"):
        return f"{python(cwd)} -m pytest"
    found = shutil.which(started.stem)
    return started.stem if found and _same(Path(found), started) else _typed(started, cwd)


def quoted(argument: str) -> str:
    """The argument as it must be typed."""
    if sys.platform != "win32":
        return shlex.quote(argument)
    return f'"{argument}"' if " " in argument else argument


def _same(one: Path, other: Path) -> bool:
    """Whether both are the same program, not only the same file behind different links: a venv is its folder."""
    both = [Path(os.path.normcase(p.absolute())).with_suffix("") for p in (one, other)]
    return both[0].parent.resolve() == both[1].parent.resolve() and os.path.samefile(one, other)


def _typed(program: Path, cwd: Path) -> str:
    try:
        path = os.path.relpath(program.absolute(), cwd)
    except ValueError:  # another drive of Windows
        path = str(program)
    return quoted(str(program) if path.startswith("..") else path)
