"""A submission's own modules: what an import in one of its files means."""

from __future__ import annotations

import ast
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .bindings import PACKAGE
from .sources import Path, Source

MOST = 200  # modules beside the exercises
DEEPEST = 9  # packages in packages
# Names that keep their meaning though the student has a module of that name: torch itself may need them.
OTHERS = sys.stdlib_module_names | {
    *("torch", "numpy", "einops", "transformers", "tokenizers", "safetensors", "tqdm", "rich", "pytest"),
    *("jax", "scipy", "sympy", "matplotlib", "pandas", "typing_extensions", "networkx", "yaml", "packaging"),
}


@dataclass(frozen=True)
class Import:
    """One imported module in parts, and the names taken from it; `level`: leading dots."""

    level: int
    parts: Path
    names: tuple[str, ...]


def imports_in(nodes: Iterable[ast.AST]) -> Iterator[Import]:
    """All imports, those inside of functions too."""
    for node in nodes:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Import):
                for alias in inner.names:
                    yield Import(0, tuple(alias.name.split(".")), ())
            elif isinstance(inner, ast.ImportFrom):
                names = tuple(a.name for a in inner.names)
                yield Import(
                    inner.level, tuple((inner.module or "").split(".")) if inner.module else (), names
                )


class Modules:
    """The .py files of a submission by where they lie. `home`: the folder of the exercises."""

    def __init__(self, sources: Sequence[Source], home: Path) -> None:
        self._home = home
        self._files: dict[Path, Source] = {}
        for source in sources:
            if not source.notebook and source.path[-1].endswith(".py"):
                self._files.setdefault(_as_names(*source.path[:-1], source.path[-1][:-3]), source)

    def meant(self, one: Import, source: Source, key: str) -> dict[str, Source]:
        """What an import in a file needs: file name in the package -> source. Empty for others' modules.

        key: the file name in the package under which `source` itself is loaded ("helpers/shapes.py").
        """
        here = tuple(key.removesuffix(".py").split("/"))[:-1]
        if one.level:
            above = len(here) - one.level + 1
            if above < 0:
                return {}
            parts = (*here[:above], *one.parts)
        else:
            parts = one.parts[1:] if one.parts[0] == PACKAGE else one.parts
        folder = source.path[: len(source.path) - 1 - len(here)]
        roots = [folder[:n] for n in range(len(folder), -1, -1)] + [self._home, self._home[:-1]]
        for root in dict.fromkeys(roots):
            found = self._at(root, parts)
            for name in one.names:
                found |= self._at(root, (*parts, name))
            if found:
                return found
        return {}

    def _at(self, root: Path, parts: Path) -> dict[str, Source]:
        """The module and the packages it lies in; {} when it is not there."""
        if not 0 < len(parts) <= DEEPEST or not all(part.isidentifier() for part in parts):
            return {}
        ways = ((parts, "/".join(parts) + ".py"), ((*parts, "__init__"), "/".join(parts) + "/__init__.py"))
        places = [(_as_names(*root, *way), key) for way, key in ways]
        there = [(key, self._files[place]) for place, key in places if place in self._files]
        if not there:
            return {}
        found = {there[0][0]: there[0][1]}
        for n in range(1, len(parts)):
            init = self._files.get(_as_names(*root, *parts[:n], "__init__"))
            if init is not None:
                found["/".join(parts[:n]) + "/__init__.py"] = init
        return found


def _as_names(*parts: str) -> Path:
    """As Python compares names."""
    return tuple(unicodedata.normalize("NFKC", part) for part in parts)


def _as_others(one: Import) -> bool:
    return not one.level and one.parts[0] in OTHERS


def _has(module: Source, names: Sequence[str]) -> bool:
    there = {name for known in module.all_of.student for name in known.names.binds}
    return bool(names) and there.issuperset(names)


def loaded(
    begin: Mapping[str, tuple[Source, Sequence[ast.AST]]], modules: Modules, taken: Iterable[str]
) -> tuple[dict[str, Source], list[str]]:
    """(the student's own modules that are imported, by file name in the package; names of which two differ).

    A module named like one of somebody else's is taken only where names are imported that it has.

    begin: file name -> (its source, the statements taken from it); taken: file names that are exercises'.
    """
    found: dict[str, Source] = {}
    twice: list[str] = []
    todo = [(key, source, nodes) for key, (source, nodes) in begin.items()]
    taken = frozenset(taken)
    while todo:
        key, source, nodes = todo.pop()
        for one in imports_in(nodes):
            for name, module in modules.meant(one, source, key).items():
                if name in taken or (_as_others(one) and not _has(module, one.names)):
                    continue
                if name in found:
                    if found[name] is not module and found[name].data != module.data:
                        twice.append(name)
                    continue
                if len(found) < MOST:
                    found[name] = module
                    todo.append((name, module, [module.tree] if module.tree is not None else []))
    return found, sorted(set(twice))
