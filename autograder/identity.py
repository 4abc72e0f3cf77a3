"""What graded what: hashes of everything that a grade depends on. Equal hashes, equal grade."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from autograder import __version__
from autograder.course import ROOT, Course
from autograder.results import Kit

MINI = ROOT / "lab" / "mini_gpt2"
PARTS = ("exercises", "solutions")  # students' files, and the same ones complete
# Rooms and files of autograder/ that leave a grade as it is.
SHOWS_OR_HANDS_OUT = frozenset(
    {
        "commands", "feedback", "gradebook", "notebooks", "pairs", "release", "sample_class",
        "__main__.py", "bench.py", "cli.py", "kitcheck.py",
    }
)  # fmt: skip
PACKAGES = ("torch", "transformers", "numpy", "safetensors", "pytest")


def kit_of(files: Mapping[str, bytes], course: Course, *, timing: bool = True) -> Kit:
    """The Kit entry of a submission's result: versions, and hashes of submission, course, hidden tests and
    model."""
    return Kit(
        version=__version__,
        packages=dict(_versions()),
        hashes={
            "submission": _digest((name, data) for name, data in sorted(files.items())),
            "course": _digest(
                [("course", course.model_dump_json().encode()), ("timing", str(timing).encode())]
            ),
            "hidden": code(),
            "model": _model(course.course.model),
        },
    )


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    found = [("python", platform.python_version())]
    for name in PACKAGES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return tuple(found)


@cache
def code() -> str:
    """Hash of the kit's own code and data that a grade comes from."""
    return _digest((p.relative_to(ROOT).as_posix(), p.read_bytes()) for p in graded_by())


def graded_by() -> list[Path]:
    """The files that a grade may depend on: the engine less what only shows grades or hands things out, the
    exercises with their solutions, and the model around the last exercise."""
    here = ROOT / "autograder"
    engine = [p for p in here.rglob("*") if p.relative_to(here).parts[0] not in SHOWS_OR_HANDS_OUT]
    lab = (ROOT / "lab").glob("*.py")
    exercises = [ROOT / part / p.name for p in (ROOT / "solutions").glob("*.py") for part in PARTS]
    found = [p for p in (*engine, *lab, *exercises) if p.suffix in (".py", ".toml") and p.is_file()]
    return sorted(found)


@cache
def _model(gpt2: str) -> str:
    """Hash of the model's files; the name alone for one that is loaded from elsewhere."""
    folder = MINI if gpt2 == "mini" else Path(gpt2)
    if not folder.is_dir():
        return _digest([("name", gpt2.encode())])
    files = [p for p in sorted(folder.iterdir()) if p.suffix in (".json", ".safetensors", ".bin")]
    return _digest((p.name, p.read_bytes()) for p in files)


def _digest(parts: Iterable[tuple[str, bytes]]) -> str:
    h = hashlib.sha256()
    for name, data in parts:
        h.update(f"{name}\0{len(data)}\0".encode())
        h.update(data)
    return h.hexdigest()[:16]
