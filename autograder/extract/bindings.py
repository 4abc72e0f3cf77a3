"""All statements of a notebook by the names they bind, and which of them counts.

A notebook is run from top to bottom, so of several definitions the last one before the place of use counts.
What a student tried out beside them (prints, plots, calls) is never part of a submission.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from .cells import Cell
from .names import Names, is_stub, names_of
from .statements import Broken, Statement, statements_of

OURS = frozenset({"exercises", "solutions", "heads", "mask", "attention", "kv_cache"})
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
    """Statements in the notebook's order. `given` is the kit's own text: imports and names for all."""

    given: list[Known] = field(default_factory=list)
    student: list[Known] = field(default_factory=list)
    locked: list[Known] = field(default_factory=list)  # cells that were not for the student to change
    broken: list[Broken] = field(default_factory=list)

    def of(self, name: str, upto: int | None = None) -> list[Known]:
        """The statements that together bind `name`, in order; [] when nothing does.

        Only bindings up to cell `upto` count, unless there are none.
        """
        for source in (self.student, self.given, self.locked):
            found = [k for k in source if name in k.names.binds]
            found = [k for k in found if isinstance(k.statement.node, _SIMPLE)] or found
            if upto is not None:
                found = [k for k in found if k.statement.cell <= upto] or found
            if found:
                return _chain(name, found)
        return []

    def chain(self, name: str, last: Known) -> list[Known]:
        """`last`, which binds `name`, and what it builds on: f = wrap(f) needs the f before."""
        found = [k for k in (*self.locked, *self.student) if name in k.names.binds and k.place <= last.place]
        return _chain(name, sorted(found, key=lambda k: k.place))

    def changing(self, names: Collection[str]) -> list[Known]:
        """Statements like `MultiHeadAttention.forward = …` for one of these names."""
        return [k for k in self.student if k.names.changes & set(names)]

    def stars(self) -> list[Known]:
        """from … import *: may be where any other name comes from."""
        return [k for k in self.student if k.names.star]

    def defining(self, symbol: str, grade_ids: list[str]) -> list[Known]:
        """All statements that bind an exercise's symbol, the one that counts first.

        Written before unwritten, the exercise's own cell before others, later before earlier.
        """
        found = [k for k in (*self.student, *self.locked) if symbol in k.names.binds]
        return sorted(
            found,
            key=lambda k: (is_stub(k.statement.node), grade_ids[k.statement.cell] != symbol, *_later(k)),
        )


def _later(known: Known) -> tuple[int, int]:
    return -known.statement.cell, -known.statement.line


def _chain(name: str, found: list[Known]) -> list[Known]:
    """From the last binding back to the first one that does not need the name itself."""
    chain: list[Known] = []
    for known in reversed(found):
        chain.insert(0, known)
        function = isinstance(known.statement.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        if function or name not in known.names.needs:  # a function that calls itself needs no older one
            break
    return chain


def bindings_of(cells: list[Cell], given: Iterable[str]) -> Bindings:
    """Reads all code cells. `given` are texts of the kit (they stand before the first cell)."""
    all_of = Bindings()
    for text in given:
        good, _ = statements_of(text, -1)
        all_of.given += [Known(s, names_of(s)) for s in good]
    for i, cell in enumerate(cells):
        if cell.type != "code":
            continue
        good, bad = statements_of(cell.source, i)
        locked = cell.grade_id == "setup" or cell.grade_id.startswith("test-")
        to = all_of.locked if locked else all_of.student
        to += [Known(s, names_of(s)) for s in good if not _imports_ours(s.node)]
        all_of.broken += bad
    return all_of


def _imports_ours(node: ast.stmt) -> bool:
    """An import of the exercises themselves: in a notebook they are its own cells."""
    if isinstance(node, ast.ImportFrom):
        return node.level > 0 or (node.module or "").split(".")[0] in OURS
    return isinstance(node, ast.Import) and any(a.name.split(".")[0] in OURS for a in node.names)
