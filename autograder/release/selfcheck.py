"""exercises/ as students get it: the assignment's own files, and the self-check (`pytest exercises/`), which is
the same for every assignment and is told in assignment.json what it must know of this one."""

from __future__ import annotations

import ast
import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from autograder.assignment import KIT, Assignment
from autograder.course import Language
from autograder.nbgrader.build.sources import SELFCHECK, flatten

EXERCISES = "exercises"  # so students import their files
ORIGINALS = "originals.json"  # in exercises/: the stubs, and what else must not be changed
FACTS = "assignment.json"  # in exercises/: what students may know of course.toml


class Stale(Exception):
    """A generated file does not fit what it is generated from; the text says what to run."""


def facts(assignment: Assignment) -> str:
    """The text of assignment.json: same course.toml, same text."""
    told = {
        "chapter": assignment.course.chapter,
        "title": {lang: assignment.course.title_in(lang) for lang in assignment.languages},
        "modules": assignment.modules,
        "keeps": {name: symbol.keeps for name, symbol in assignment.symbol.items() if symbol.keeps},
        "exercises": [
            {
                **e.model_dump(include={"id", "file", "sheet", "section", "needs", "title"}),
                "symbols": assignment.own_symbols(e.id),
            }
            for e in assignment.exercises
        ],
    }
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def originals(files: Mapping[str, bytes], assignment: Assignment, *, own: bool) -> str:
    """The text of originals.json for the `files` of exercises/ as they are handed out. `own`: for this checkout,
    where the kit's files are being worked on, so that none counts as changed."""
    stubs = {name: files[name].decode("utf-8") for name in assignment.files}
    apart = {
        *stubs,
        ORIGINALS,
        assignment.notebook,
        "selfcheck/settings.toml",
    }  # settings are for students to set
    kit = {} if own else {name: _digest(data) for name, data in sorted(files.items()) if name not in apart}
    return json.dumps({"stubs": stubs, "kit": kit}, indent=1, ensure_ascii=False) + "\n"


def _digest(data: bytes) -> str:
    """As exercises/selfcheck/originals.py has it."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def package() -> dict[str, bytes]:
    """Path in exercises/ -> bytes, of the files that are the same for every assignment."""
    paths = [SELFCHECK.parent / "conftest.py", *SELFCHECK.rglob("*")]
    return {
        path.relative_to(KIT / EXERCISES).as_posix(): path.read_bytes()
        for path in sorted(paths)
        if path.is_file() and path.suffix in (".py", ".toml")
    }


def exercises_of(assignment: Assignment) -> dict[str, bytes]:
    """Path in exercises/ -> bytes. Raises Stale."""
    found = package() | dict(files_in(assignment.exercises_folder))
    told = facts(assignment).encode()
    if found.setdefault(FACTS, told) != told:
        raise Stale(f"{EXERCISES}/{FACTS} is older than course.toml; run `autograder notebook build`")
    return found


def files_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Path -> bytes, without what Python and editors leave behind."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        hidden = any(p.startswith(".") or p == "__pycache__" for p in parts)
        if path.is_file() and not path.is_symlink() and not hidden and path.suffix != ".pyc":
            yield "/".join(parts), path.read_bytes()


def lay_out(assignment: Assignment, folder: Path) -> Path:
    """Writes exercises/ into `folder`, the lab beside it, so that `pytest exercises/` runs there. Gives back
    that exercises/. Raises Stale."""
    for name, data in exercises_of(assignment).items():
        path = folder / EXERCISES / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    if assignment.lab_folder:
        (folder / "lab").symlink_to(assignment.lab_folder)
    return folder / EXERCISES


def problems(assignment: Assignment) -> list[str]:
    """Sentences of the public tests that are missing in a language, or are of tests that are gone."""
    tests = {f"test.{id}.title" for id in _public_tests(assignment)}
    said = {lang: _keys(assignment, lang) for lang in assignment.languages}
    found = []
    for lang, keys in said.items():
        path = f"{EXERCISES}/texts/{lang}.toml"
        found += [f"{path}: {key} is missing; add it" for key in sorted((tests | said["en"]) - keys)]
        gone = {key for key in keys if key.startswith("test.") and key.endswith(".title")} - tests
        found += [f"{path}: there is no such test as {key}; take it out" for key in sorted(gone)]
    return found


def _public_tests(assignment: Assignment) -> Iterator[str]:
    for sheet in dict.fromkeys(e.sheet for e in assignment.exercises):
        path = assignment.exercises_folder / f"test_{sheet}.py"
        for node in ast.parse(path.read_text(encoding="utf-8")).body if path.exists() else ():
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield f"{sheet}.{node.name.removeprefix('test_')}"


def _keys(assignment: Assignment, lang: Language) -> set[str]:
    path = assignment.exercises_folder / "texts" / f"{lang}.toml"
    found: dict[str, str] = {}
    if path.exists():
        flatten(tomllib.loads(path.read_text(encoding="utf-8")), "", found)
    return set(found)
