"""A known mistake as running code: the solution (or the chapter's code) with the variant put in.

Everything here is ours, so it runs in this process.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from autograder.course import ROOT
from autograder.mistakes.entries import CatalogueError, Entry
from autograder.sandbox.local import LocalStudent

FILES = ("heads.py", "mask.py", "attention.py", "kv_cache.py")  # each imports only from those before it
WRITTEN_OUT = Path(__file__).parent / "chapter"


@dataclass(frozen=True)
class Planted:
    """One variant in one exercise. `source` is the whole text of the exercise's file."""

    mistake: str
    exercise: str
    number: int  # among the variants of this mistake in this exercise
    file: str
    source: str
    code: str = ""  # put at the end of the solution's file; or
    edit: tuple[tuple[str, str], ...] = ()  # lines of the chapter's code changed

    def student(self, replaced: Collection[str] = ()) -> LocalStudent:
        """An otherwise right submission with this mistake in it."""
        return local_student({self.file: self.source}, replaced)


def plant(entry: Entry, files: Mapping[str, str]) -> list[Planted]:
    """All variants of a mistake. `files`: exercise -> its file (course.toml). Raises CatalogueError when
    one cannot be put in."""
    found: list[Planted] = []
    numbers: dict[str, int] = {}
    for variant in entry.variant:
        for exercise in variant.exercise:
            file = _file_of(exercise, entry, files)
            for code, edit in variant.spelt_out():
                if code:
                    source = f"{_text(ROOT / 'solutions' / file)}\n\n{code}"
                else:
                    source = _edited(_text(WRITTEN_OUT / file), edit, f"{entry.id}.toml")
                number = numbers.get(exercise, 0)
                numbers[exercise] = number + 1
                found.append(Planted(entry.id, exercise, number, file, source, code, edit))
    return found


def together(planted: Collection[Planted]) -> dict[str, str]:
    """file -> text, with several mistakes in one submission, also in the same file."""
    sources = {}
    for file in {p.file for p in planted}:
        own = [p for p in planted if p.file == file]
        edits = [p for p in own if p.edit]
        text = _text(WRITTEN_OUT / file) if edits else _text(ROOT / "solutions" / file)
        for p in edits:
            text = _edited(text, p.edit, f"{p.mistake}.toml")
        sources[file] = "\n\n".join([text, *(p.code for p in own if p.code)])
    return sources


def _file_of(exercise: str, entry: Entry, files: Mapping[str, str]) -> str:
    if exercise not in files:
        raise CatalogueError(
            f"{entry.id}.toml: variant.exercise: no exercise {exercise!r} in course.toml; "
            f"use one of {', '.join(files)}"
        )
    return files[exercise]


@cache
def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CatalogueError(f"{path}: no such file; use `code` instead of `edit` in this exercise") from None


def _edited(text: str, edits: tuple[tuple[str, str], ...], where: str) -> str:
    """Each `old` in every line that has it replaced by `new`, whose further lines are indented like the
    first."""
    for old, new in edits:
        lines = text.split("\n")
        hits = [i for i, line in enumerate(lines) if old in line]
        if not hits:
            raise CatalogueError(
                f"{where}: edit: no line has {old!r}; copy it from autograder/mistakes/chapter/"
            )
        for i in hits:
            indent = lines[i][: len(lines[i]) - len(lines[i].lstrip())]
            lines[i] = lines[i].replace(old, new.replace("\n", "\n" + indent))
        text = "\n".join(lines)
    return text


def local_student(sources: Mapping[str, str], replaced: Collection[str] = ()) -> LocalStudent:
    """The solutions with some files' text in place of theirs, then some symbols put back to the
    solution's."""
    return LocalStudent(load(sources, replaced))


def load(sources: Mapping[str, str], replaced: Collection[str] = ()) -> dict[str, ModuleType]:
    """The four modules by name ("heads" …), run anew, importing one another however they spell it."""
    modules: dict[str, ModuleType] = {}
    for file in FILES:
        stem = file.removesuffix(".py")
        module = ModuleType(f"exercises.{stem}")
        module.__file__ = f"planted/{file}"
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _importer(modules)}
        exec(_compiled(sources.get(file) or _text(ROOT / "solutions" / file), file), module.__dict__)
        for symbol in replaced:
            right = _solved(file).get(symbol)
            if right is not None:
                setattr(module, symbol, right)
        modules[stem] = module
    return modules


@cache
def _solved(file: str) -> Mapping[str, Any]:
    """What a solution's own file defines (not what it imports)."""
    module = f"exercises.{file.removesuffix('.py')}"
    return {
        k: v
        for k, v in vars(load({})[file.removesuffix(".py")]).items()
        if getattr(v, "__module__", "") == module
    }


@cache
def _compiled(source: str, file: str) -> CodeType:
    return compile(source, f"planted/{file}", "exec")


def _importer(own: Mapping[str, ModuleType]) -> Callable[..., Any]:
    def load_module(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: tuple[str, ...] = (),
        level: int = 0,
    ) -> Any:
        package, _, stem = name.rpartition(".")
        if stem in own and package in ("", "solutions", "exercises"):
            return own[stem]
        return builtins.__import__(name, globals, locals, fromlist, level)

    return load_module
