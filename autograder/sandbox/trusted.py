"""The solutions, or texts of ours in their place, as modules of this process that import one another."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection, Mapping
from functools import cache
from pathlib import PurePath
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any

from ..assignment import Assignment


def load(
    assignment: Assignment, sources: Mapping[str, str] | None = None, replaced: Collection[str] = ()
) -> dict[str, ModuleType]:
    """Name without ".py" -> module, run anew.

    sources: file -> text in the place of the solution's; replaced: symbols that are put back to the
    solution's. Files may import one another as `exercises.x`, `solutions.x` (the assignment's own folders'
    names) or `x`, but only those before them in the order of the exercises.
    """
    packages = package_names(assignment)
    modules: dict[str, ModuleType] = {}
    for file in assignment.files:
        stem = file.removesuffix(".py")
        module = ModuleType(f"{packages[0]}.{stem}")
        module.__file__ = f"planted/{file}"
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _importer(modules, packages)}
        text = (sources or {}).get(file) or assignment.solutions[file]
        exec(_compiled(text, file), module.__dict__)
        for symbol in replaced:
            if (right := solved(assignment, file).get(symbol)) is not None:
                setattr(module, symbol, right)
        modules[stem] = module
    return modules


@cache
def solved(assignment: Assignment, file: str) -> Mapping[str, Any]:
    """What a solution's own file defines (not what it imports)."""
    module = load(assignment)[file.removesuffix(".py")]
    return {k: v for k, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__}


def package_names(assignment: Assignment) -> tuple[str, str]:
    """The names under which the files import one another: the folders of exercises and of solutions."""
    return PurePath(assignment.content.exercises).name, PurePath(assignment.content.solutions).name


@cache
def _compiled(source: str, file: str) -> CodeType:
    return compile(source, f"planted/{file}", "exec")


def _importer(own: Mapping[str, ModuleType], packages: Collection[str]) -> Callable[..., Any]:
    def load_module(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: tuple[str, ...] = (),
        level: int = 0,
    ) -> Any:
        package, _, stem = name.rpartition(".")
        if stem in own and package in ("", *packages):
            # `import exercises.norm as norm` asks for the package
            return SimpleNamespace(**own) if package and not fromlist else own[stem]
        if name in ("", *packages) and fromlist and all(one in own for one in fromlist):
            return SimpleNamespace(**own)  # from exercises import norm
        return builtins.__import__(name, globals, locals, fromlist, level)

    return load_module
