"""All statements of a notebook or a file by the names they bind, and which of them counts.

A notebook is run from top to bottom, so of several definitions the last one before the place of use counts.
What a student tried out beside them (prints, plots, calls) is never part of a submission.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from .cells import Cell
from .names import Names, names_of
from .statements import Broken, Statement, statements_of

PACKAGE = "exercises"
KITS = frozenset({"solutions"})  # nothing that students have
_ASSIGNS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
_SIMPLE = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, *_ASSIGNS)


@dataclass(frozen=True, eq=False)
class Known:
    """A statement with its names. Compared by identity: the same text in two cells is two statements."""

    statement: Statement
    names: Names

    @property
    def is_import(self) -> bool:
        return isinstance(self.statement.node, ast.Import | ast.ImportFrom)

    @property
    def place(self) -> tuple[int, int]:
        return self.statement.cell, self.statement.line


@dataclass
class Bindings:
    """Statements in their order. `given` is the kit's own text: imports and names for all."""

    given: list[Known] = field(default_factory=list)
    student: list[Known] = field(default_factory=list)
    locked: list[Known] = field(default_factory=list)  # cells that were not for the student to change
    broken: list[Broken] = field(default_factory=list)
    _binding: dict[int, dict[str, list[Known]]] = field(default_factory=dict)
    _changing: dict[str, list[Known]] = field(default_factory=dict)

    def binding(self, part: list[Known], name: str) -> list[Known]:
        """Those of `part` (one of the lists above, complete by now) that bind a name."""
        index = self._binding.get(id(part))
        if index is None:
            index = self._binding[id(part)] = {}
            for known in part:
                for bound in known.names.binds:
                    index.setdefault(bound, []).append(known)
        return index.get(name, [])

    def of(self, name: str, upto: int | None = None) -> list[Known]:
        """The statements that together bind `name`, in order; [] when nothing does.

        Only bindings up to cell `upto` count, unless there are none.
        """
        for source in (self.student, self.given, self.locked):
            found = self.binding(source, name)
            found = [k for k in found if isinstance(k.statement.node, _SIMPLE)] or found
            if upto is not None:
                found = [k for k in found if k.statement.cell <= upto] or found
            if found:
                return _chain(name, found)
        return []

    def chain(self, name: str, last: Known) -> list[Known]:
        """`last`, which binds `name`, and what it builds on: f = wrap(f) needs the f before."""
        every = (*self.binding(self.locked, name), *self.binding(self.student, name))
        return _chain(name, sorted((k for k in every if k.place <= last.place), key=lambda k: k.place))

    def before(self, name: str, known: Known) -> list[Known]:
        """What `name` is when a statement is run: the student's bindings above it; [] when there are none."""
        every = self.binding(self.student, name)
        above = every[: bisect_left(every, known.place, key=lambda k: k.place)]
        return _chain(name, above)

    def changing(self, names: Collection[str]) -> list[Known]:
        """Statements like `FeedForward.forward = …` for one of these names."""
        if not self._changing:
            self._changing = {"": []}
            for known in self.student:
                for name in known.names.changes:
                    self._changing.setdefault(name, []).append(known)
        return [k for name in names for k in self._changing.get(name, [])]

    def stars(self) -> list[Known]:
        """from … import *: may be where any other name comes from."""
        return [k for k in self.student if k.names.star]


def _chain(name: str, found: list[Known]) -> list[Known]:
    """From the last binding back to the first one that can be run without an older one."""
    chain: list[Known] = []
    for known in reversed(found):
        chain.append(known)
        if name not in known.names.now:  # a function that calls itself needs no older one
            break
    return chain[::-1]


def given_by(texts: Iterable[str]) -> list[Known]:
    """The statements of texts of the kit, which stand before the first cell."""
    return [Known(s, names_of(s)) for text in texts for s in statements_of(text, -1)[0]]


def bindings_of(
    cells: Iterable[Cell], given: list[Known], symbols: Mapping[str, str] | None = None
) -> Bindings:
    """Reads all code cells.

    `symbols`: exercise symbol -> its file; imports of them from the exercises' files are left out.
    """
    all_of = Bindings(given)
    for i, cell in enumerate(cells):
        if cell.type != "code":
            continue
        good, bad = statements_of(cell.source, i)
        locked = cell.grade_id == "setup" or cell.grade_id.startswith("test-")
        to = all_of.locked if locked else all_of.student
        kept = (_without_ours(s, symbols or {}) for s in good)
        to += [Known(s, names_of(s)) for s in kept if s is not None]
        all_of.broken += bad
    return all_of


def takes_ours(node: ast.stmt, symbol: str, symbols: Mapping[str, str]) -> bool:
    """Whether an import takes an exercise under its own name from one of the exercises' files."""
    if not isinstance(node, ast.ImportFrom):
        return False
    parts = (node.module or "").split(".")
    parts = parts[1:] if parts[0] == PACKAGE else parts
    ours = len(parts) == 1 and f"{parts[0]}.py" in symbols.values()
    return ours and any(a.name == symbol and a.asname in (None, symbol) for a in node.names)


def _without_ours(statement: Statement, symbols: Mapping[str, str]) -> Statement | None:
    """The statement without imports of the exercises themselves, which are put in where they are needed.

    Other names from the exercises' files (a helper, or an exercise under another name) stay.
    """
    node = statement.node
    if isinstance(node, ast.Import):
        kits = [a for a in node.names if a.name.split(".")[0] in KITS]
        return statement if not kits else None
    if not isinstance(node, ast.ImportFrom):
        return statement
    parts = (node.module or "").split(".")
    if parts[0] in KITS and not node.level:
        return None
    if node.module == PACKAGE:
        kept = [a for a in node.names if f"{a.name}.py" in symbols.values()]
        return _importing(PACKAGE, kept, statement)
    parts = parts[1:] if parts[0] == PACKAGE else parts
    if f"{parts[0]}.py" not in symbols.values() or len(parts) > 1:
        return statement
    kept = [a for a in node.names if a.name not in symbols and a.name != "*"]
    kept += [a for a in node.names if a.name in symbols and a.asname not in (None, a.name)]
    return _importing(f"{PACKAGE}.{parts[0]}", kept, statement)


def _importing(module: str, kept: list[ast.alias], statement: Statement) -> Statement | None:
    """The same import with only some of its names."""
    if not kept:
        return None
    names = ", ".join(a.name + f" as {a.asname}" * bool(a.asname) for a in kept)
    text = f"from {module} import {names}"
    return Statement(statement.cell, statement.line, text, ast.parse(text).body[0])
