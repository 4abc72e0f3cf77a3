"""The files of an nbgrader course beside the notebook: copied along, and never written over a person's work.

nbgrader's own commands expect in autograded/ and feedback/ what was handed in with the notebook: its
`release_feedback` reads timestamp.txt and submission_secret.txt there.
"""

from __future__ import annotations

import contextlib
import fnmatch
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from autograder.store import write_text

STAMPS = ("timestamp.txt", "submission_secret.txt")  # all that a page to hand back needs beside it
IGNORED = (".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback")  # nbgrader's own default
MOST_FILES, MOST_BYTES = 500, 100 << 20  # that are copied of one submission; nbgrader's limit is 100 MB too


def copy_all(source: Path, target: Path, ignored: Sequence[str] = IGNORED) -> None:
    """Everything that was handed in but notebooks, as nbgrader's autograde copies it. Links are left out."""
    room = MOST_BYTES
    for n, path in enumerate(_files(source, ignored)):
        size = path.stat(follow_symlinks=False).st_size
        if n >= MOST_FILES or size > room:
            return
        room -= size
        _copy(path, target / path.relative_to(source))


def copy_stamps(source: Path, target: Path) -> None:
    """timestamp.txt and submission_secret.txt, where they were handed in; an old timestamp goes."""
    (target / STAMPS[0]).unlink(missing_ok=True)
    for name in STAMPS:
        if _plain(source / name):
            _copy(source / name, target / name)


def _files(folder: Path, ignored: Sequence[str]) -> Iterator[Path]:
    for above, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _matches(name, ignored))
        for name in sorted(names):
            path = Path(above) / name
            if not name.endswith(".ipynb") and not _matches(name, ignored) and _plain(path):
                yield path


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def _plain(path: Path) -> bool:
    """Whether it is a file of its own: no link, under whose name another file would be handed on."""
    with contextlib.suppress(OSError, ValueError):
        found = path.lstat()
        return stat.S_ISREG(found.st_mode) and found.st_nlink == 1
    return False


def _copy(source: Path, target: Path) -> None:
    """What cannot be read, or has a folder in its place, is left out: the grades do not hang on it."""
    with contextlib.suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)  # nbgrader's own copies may not be written to
        shutil.copyfile(source, target)


def write_unless_changed(path: Path, text: str, *, newer: bool) -> bool:
    """Writes a page, but not over one that somebody else has written or changed since. Whether it did.

    What was written is remembered beside it as a hash. `newer`: the work came in after that page was made,
    so it is about something else (nbgrader decides alike).
    """
    note = path.with_name(f".{path.stem}.sha256")
    if not newer and path.exists() and _digest(path) != _read(note):
        return False
    write_text(path, text)
    write_text(note, _digest(path))
    return True


def _digest(path: Path) -> str:
    with contextlib.suppress(OSError):
        return hashlib.sha256(path.read_bytes()).hexdigest()
    return ""


def _read(path: Path) -> str:
    with contextlib.suppress(OSError, ValueError):
        return path.read_text(encoding="utf-8").strip()
    return "?"


def is_newer(one: datetime | None, other: datetime | None) -> bool:
    """Whether both times are known, and the first is the later one."""
    return one is not None and other is not None and one > other
