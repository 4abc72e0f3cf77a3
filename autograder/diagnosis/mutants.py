"""A known mistake as running code: the solution (or the chapter's code) with the variant put in.

Everything here is ours, so it runs in this process.
"""

from __future__ import annotations

import builtins
import textwrap
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any

from autograder.assignment import ROOT
from autograder.diagnosis.entries import CatalogueError, Entry
from autograder.sandbox.local import LocalStudent

FILES = ("heads.py", "mask.py", "attention.py", "kv_cache.py")  # each imports only from those before it
WRITTEN_OUT = Path(__file__).resolve().parents[1] / "chapter04" / "written_out"

# What is written out in `chapter/`, and the call of an earlier exercise that does the same.
_MERGE = "y = y.transpose(1, 2).contiguous().view(B, n, d)  # (B, n_head, n, d_k) -> (B, n, d)"
_MASK = """\
if causal:
    future = torch.ones(n, n_all, dtype=torch.bool, device=x.device).triu(n_all - n + 1)
    att = att.masked_fill(future, float("-inf"))
att = F.softmax(att, dim=-1)"""
_CALLS = (
    *(
        (
            f"{t} = {t}.view(B, n, n_head, d_k).transpose(1, 2)  # (B, n, d) -> (B, n_head, n, d_k)",
            f"{t} = split_heads({t}, n_head)",
        )
        for t in "qkv"
    ),
    (_MASK, "att = causal_softmax(att, causal)"),
    (_MASK.splitlines()[1].strip(), "future = causal_mask(n, n_all, device=x.device)"),
    ("att = F.softmax(att, dim=-1)", "att = causal_softmax(att, causal=False)"),
    (f"{_MERGE}\nout = c_proj(y)", "out = concat_and_project(y, c_proj)"),
    (_MERGE, "y = merge_heads(y)"),
)


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
    calls: bool = False  # see `calling`
    attempt: bool = True  # see entries.Variant

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
                tried = variant.attempt
                found.append(Planted(entry.id, exercise, number, file, source, code, edit, attempt=tried))
    return found


def calling(planted: Planted) -> Planted:
    """The same mistake in code that calls the earlier exercises wherever the mistake leaves them as they are.

    Itself where nothing of the kind is written out.
    """
    source = _calling(planted.source, planted.file) if planted.edit else planted.source
    return planted if source == planted.source else replace(planted, source=source, calls=True)


def _calling(text: str, file: str) -> str:
    done = text
    for block, call in _CALLS:
        for indent in (" " * 4, " " * 8, " " * 12):
            done = done.replace(f"\n{textwrap.indent(block, indent)}\n", f"\n{indent}{call}\n")
    imports = [
        f"from solutions.{earlier.removesuffix('.py')} import {', '.join(_solved(earlier))}"
        for earlier in FILES[: FILES.index(file)]
    ]
    return text if done == text else "\n".join([*imports, done])


def together(planted: Collection[Planted]) -> dict[str, str]:
    """file -> text, with several mistakes in one submission, also in the same file."""
    sources = {}
    for file in {p.file for p in planted}:
        own = [p for p in planted if p.file == file]
        edits = [p for p in own if p.edit]
        text = _text(WRITTEN_OUT / file) if edits else _text(ROOT / "solutions" / file)
        for p in edits:
            text = _edited(text, p.edit, f"{p.mistake}.toml")
        if any(p.calls for p in edits):
            text = _calling(text, file)
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
                f"{where}: edit: no line has {old!r}; copy it from autograder/chapter04/written_out/"
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
            # `import exercises.heads as heads` asks for the package
            return SimpleNamespace(**own) if package and not fromlist else own[stem]
        if name in ("", "solutions", "exercises") and fromlist and all(one in own for one in fromlist):
            return SimpleNamespace(**own)  # from exercises import heads
        return builtins.__import__(name, globals, locals, fromlist, level)

    return load_module
