"""What graded what: hashes of everything that a grade depends on. Equal hashes, equal grade."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from autograder import __version__, content
from autograder.assignment import Assignment
from autograder.course import Content
from autograder.results import Kit

ENGINE = Path(__file__).resolve().parent
# Rooms and files of the engine that leave a grade as it is.
SHOWS_OR_HANDS_OUT = frozenset(
    {
        "collect", "commands", "exporters", "feedback", "gradebook", "nbgrader", "release",
        "__main__.py", "bench.py", "cli.py", "kitcheck.py",
    }
)  # fmt: skip
LEFT_OUT = frozenset(
    {"docstrings", "messages", "pictures", "readme", "sample_class"}
)  # of the chapter: the same
PACKAGES = ("torch", "transformers", "numpy", "safetensors", "pytest")


def kit_of(files: Mapping[str, bytes], assignment: Assignment, *, timing: bool = True) -> Kit:
    """The Kit entry of a submission's result: versions, and hashes of submission, course, its seed, hidden tests
    and model."""
    # A result does not depend on where all this lies, nor on what is made of it afterwards.
    of_course = assignment.course.model_dump_json(exclude={"seed"})
    told = of_course + assignment.model_dump_json(
        exclude={"root", "course", "deadline", "attempts", "grades"}
    )
    return Kit(
        version=__version__,
        packages=dict(_versions()),
        hashes={
            "submission": _digest((name, data) for name, data in sorted(files.items())),
            "course": _digest([("course", told.encode()), ("timing", str(timing).encode())]),
            "seed": _digest([("seed", assignment.course.seed.encode())]),
            "hidden": code(assignment),
            "model": _data(assignment),
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


_CODE: dict[tuple[Path, Content], str] = {}


def code(assignment: Assignment) -> str:
    """Hash of all code and data that a grade comes from, as it was when this process first asked for an
    assignment of the same content."""
    key = (assignment.root, assignment.content)
    if key not in _CODE:
        _CODE[key] = _digest((name, path.read_bytes()) for name, path in graded_by(assignment))
    return _CODE[key]


def graded_by(assignment: Assignment) -> list[tuple[str, Path]]:
    """(name, path) of the files that a grade may depend on: the engine less what only shows grades or hands
    things out, the chapter, the exercises with their solutions, and the lab."""
    chapter, lab = assignment.chapter_folder, assignment.lab_folder
    found = [("engine", ENGINE, p) for p in _of(ENGINE, SHOWS_OR_HANDS_OUT) if chapter not in p.parents]
    found += [("chapter", chapter, p) for p in _of(chapter, LEFT_OUT)]
    found += [("lab", lab, p) for p in lab.glob("*.py")] if lab else []
    for path in assignment.solutions_folder.glob("*.py"):
        for folder in (assignment.exercises_folder, assignment.solutions_folder):
            found += [(folder.name, folder, folder / path.name)] if (folder / path.name).is_file() else []
    return sorted((f"{part}/{p.relative_to(top).as_posix()}", p) for part, top, p in found)


def _of(folder: Path, without: frozenset[str]) -> list[Path]:
    found = (p for p in folder.rglob("*") if p.suffix in (".py", ".toml") and p.is_file())
    return [p for p in found if p.relative_to(folder).parts[0] not in without]


def _data(assignment: Assignment) -> str:
    """Hash of the files that the chapter's tests need beside code (its ready.py names their folder); the name
    alone where they are loaded from elsewhere."""
    of = content.attribute(assignment.chapter_folder, "ready", "data")
    if of is None:
        return ""
    folder: Path = of(assignment)
    if not folder.is_dir():
        return _digest([("name", str(folder).encode())])
    return _folder(folder)


@cache
def _folder(folder: Path) -> str:
    files = [p for p in sorted(folder.iterdir()) if p.suffix in (".json", ".safetensors", ".bin")]
    return _digest((p.name, p.read_bytes()) for p in files)


def _digest(parts: Iterable[tuple[str, bytes]]) -> str:
    h = hashlib.sha256()
    for name, data in parts:
        h.update(f"{name}\0{len(data)}\0".encode())
        h.update(data)
    return h.hexdigest()[:16]
