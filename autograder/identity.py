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
    """Hash of the kit's own code and data that a grade comes from (pages and commands leave it as it is)."""
    here = Path(__file__).resolve().parent
    rooms = ("hidden", "mistakes", "sandbox", "extract")
    parts = [*(here / room for room in rooms), ROOT / "solutions"]
    files = [p for part in parts for p in part.rglob("*") if p.suffix in (".py", ".toml")]
    files += [here / f"{name}.py" for name in ("attempt", "credit", "judge", "flags")]
    files += [ROOT / "lab" / "gpt2.py"]
    files += [ROOT / "exercises" / f"{name}.py" for name in ("heads", "mask", "attention", "kv_cache")]
    return _digest((p.relative_to(ROOT).as_posix(), p.read_bytes()) for p in sorted(files) if p.exists())


@cache
def _model(gpt2: str) -> str:
    """Hash of the model's files; the name alone for one that is loaded from elsewhere."""
    folder = MINI if gpt2 == "mini" else Path(gpt2)
    if not folder.is_dir():
        return _digest([("name", gpt2.encode())])
    files = [p for p in sorted(folder.iterdir()) if p.suffix in (".json", ".safetensors")]
    return _digest((p.name, p.read_bytes()) for p in files)


def _digest(parts: Iterable[tuple[str, bytes]]) -> str:
    h = hashlib.sha256()
    for name, data in parts:
        h.update(f"{name}\0{len(data)}\0".encode())
        h.update(data)
    return h.hexdigest()[:16]
