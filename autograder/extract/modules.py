"""Statements of all cells -> the exercises' files, as a student would have written them without a notebook.

Each file holds its own symbols and what they need, wherever in the notebook that stands; symbols of another
file are imported from it. So a fault in one cell stays in its file, and an earlier exercise can be replaced
for follow-through credit exactly as in a submission of files.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .bindings import Bindings, Known, bindings_of
from .cells import Cell
from .marks import HEADER, NOWHERE, mark
from .names import is_stub
from .statements import Broken

_DISPLAY = "def display(*things, **options):\n    print(*things)"


@dataclass
class Extracted:
    """The files' text, and what a person should know: {"id": …, "params": {…}} each."""

    files: dict[str, str] = field(default_factory=dict)
    problems: list[dict[str, Any]] = field(default_factory=list)
    flags: list[dict[str, Any]] = field(default_factory=list)

    def problem(self, id: str, **params: Any) -> None:
        self.problems.append({"id": f"notebook.{id}", "params": params})

    def flag(self, id: str, **params: Any) -> None:
        self.flags.append({"id": f"notebook.{id}", "params": params})


def extract(
    cells: list[Cell], symbols: Mapping[str, str], stubs: Mapping[str, str], given: str = ""
) -> Extracted:
    """`symbols`: exercise symbol -> its file, in order; `stubs`: file -> text as students get it.

    `given`: imports that every notebook has, whatever its cells say.
    """
    out = Extracted()
    grade_ids = [cell.grade_id for cell in cells]
    all_of = bindings_of(cells, [given, *map(_given, stubs.values())])
    if not any(all_of.defining(s, grade_ids) or _broken(s, all_of, grade_ids) for s in symbols):
        out.problem("no_exercise")
        return out
    for file in stubs:
        own = [s for s, f in symbols.items() if f == file]
        writer = _File(file, all_of, symbols, list(stubs))
        for symbol in own:
            _choose(symbol, writer, all_of, grade_ids, stubs[file], out)
        out.files[file] = writer.text()
        for name in writer.ambiguous():
            out.flag("helper_twice", name=name, file=file)
    return out


def _choose(
    symbol: str, writer: _File, all_of: Bindings, grade_ids: list[str], stub: str, out: Extracted
) -> None:
    """Puts the definition of `symbol` that counts into its file."""
    found = all_of.defining(symbol, grade_ids)
    written = [k for k in found if not is_stub(k.statement.node)]
    if written:
        chain = all_of.chain(symbol, written[0])
        writer.symbol(symbol, chain)
        where = written[0].statement.cell
        others = {k.statement.cell + 1 for k in written if k not in chain and _differ(k, written[0])}
        if others:
            out.flag("duplicate", exercise=symbol, used=where + 1, cells=sorted(others))
        if grade_ids[where] != symbol and symbol in grade_ids:
            out.flag("elsewhere", exercise=symbol, used=where + 1)
        return
    broken = _broken(symbol, all_of, grade_ids)
    if broken:
        place = {"cell": broken.cell + 1, "line": broken.line}
        out.flag("syntax", exercise=symbol, text=broken.text, says=broken.says, **place)
        says = f"{broken.says}: {broken.text}"
        marked = mark(broken.cell, broken.line, broken=True)
        writer.extra(f"{marked}\ndef {symbol}(*_, **__):\n    raise SyntaxError({says!r})")
        return
    if not found:
        out.flag("not_found", exercise=symbol)
    writer.extra(f"{NOWHERE}\n{_stub(symbol, stub)}")


def _differ(one: Known, other: Known) -> bool:
    return ast.dump(one.statement.node) != ast.dump(other.statement.node)


def _broken(symbol: str, all_of: Bindings, grade_ids: list[str]) -> Broken | None:
    """The last piece that is not Python and seems to be this exercise."""
    found = [b for b in all_of.broken if symbol in b.defines or grade_ids[b.cell] == symbol]
    return found[-1] if found else None


def _given(stub: str) -> str:
    """What a stub file gives besides its exercises: imports of others' packages, names for types."""
    tree = ast.parse(stub)
    keep: list[ast.stmt] = [
        node
        for node in tree.body
        if isinstance(node, ast.Import | ast.Assign)
        or (isinstance(node, ast.ImportFrom) and not _exercise(node))
    ]
    return "\n".join(ast.unparse(node) for node in keep)


def _exercise(node: ast.ImportFrom) -> bool:
    return (node.module or "").split(".")[0] == "exercises"


def _stub(symbol: str, stub: str) -> str:
    for node in ast.parse(stub).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == symbol:
            return ast.unparse(node)
    raise ValueError(f"the stubs have no {symbol}")


class _File:
    """One file being put together."""

    def __init__(self, name: str, all_of: Bindings, symbols: Mapping[str, str], order: list[str]) -> None:
        self.name, self.all_of, self.symbols, self.order = name, all_of, symbols, order
        self.chosen: dict[str, list[Known]] = {}
        self.extras: list[str] = []

    def symbol(self, symbol: str, chain: list[Known]) -> None:
        self.chosen[symbol] = chain

    def extra(self, text: str) -> None:
        """Text of ours that takes a symbol's place."""
        self.extras.append(text)

    def _closure(self, chosen: Iterable[str], upto: int) -> tuple[dict[str, list[Known]], set[str], set[str]]:
        """(name -> the statements it comes from, symbols of other files, names that nothing binds)."""
        found = {symbol: self.chosen[symbol] for symbol in chosen}
        elsewhere: set[str] = set()
        unknown: set[str] = set()
        todo = [k for chain in found.values() for k in chain]
        for text in self.extras:
            todo += bindings_of([Cell("code", text)], []).student
        while todo:
            known = todo.pop()
            for name in sorted(known.names.needs | known.names.binds):
                if name in found or self.symbols.get(name) == self.name:
                    continue
                if name in self.symbols:
                    elsewhere.add(name)
                    continue
                if name in known.names.binds and name not in known.names.needs:
                    continue  # import a, b: only what is needed is followed
                chain = self.all_of.of(name, upto)
                if chain:
                    found[name] = chain
                    todo += chain
                else:
                    unknown.add(name)
            for change in self.all_of.changing([n for n in known.names.binds if n in found]):
                key = f"{change.place} changes"
                if key not in found:
                    found[key] = [change]
                    todo.append(change)
        return found, elsewhere, unknown

    def _upto(self, symbols: Iterable[str]) -> int:
        return max((self.chosen[s][-1].statement.cell for s in symbols), default=-1)

    def ambiguous(self) -> list[str]:
        """Helpers that were another thing when an earlier exercise of this file was defined."""
        whole, _, _ = self._closure(self.chosen, self._upto(self.chosen))
        names: set[str] = set()
        for symbol in self.chosen:
            alone, _, _ = self._closure([symbol], self._upto([symbol]))
            names |= {n for n, chain in alone.items() if n in whole and _text(chain) != _text(whole[n])}
        return sorted(names)

    def text(self) -> str:
        """The file."""
        found, elsewhere, unknown = self._closure(self.chosen, self._upto(self.chosen))
        every = {id(k): k for chain in found.values() for k in chain}
        if unknown:
            every |= {id(k): k for k in self.all_of.stars()}
        known = sorted(every.values(), key=lambda k: k.place)
        future = [k for k in known if k.is_import and "annotations" in k.names.binds]
        imports = [k for k in known if k.is_import and k not in future]
        rest = [k for k in known if not k.is_import]
        mine = self.order.index(self.name)
        before = sorted(s for s in elsewhere if self.order.index(self.symbols[s]) < mine)
        after = sorted(s for s in elsewhere if self.order.index(self.symbols[s]) > mine)
        parts = [HEADER, *_marked(_once(future)), *_marked(_once(imports)), NOWHERE]
        parts += [f"from exercises.{self.symbols[s].removesuffix('.py')} import {s}" for s in before]
        if "display" in unknown:
            parts.append(_DISPLAY)
        parts += ["\n" + text for text in _marked(rest)]
        parts += ["\n" + text for text in self.extras]
        parts.append(NOWHERE)
        # Imported last, so that two files may need each other.
        parts += [f"from exercises.{self.symbols[s].removesuffix('.py')} import {s}" for s in after]
        return "\n".join(parts) + "\n"


def _marked(known: list[Known]) -> list[str]:
    """Their texts, each below what says where it comes from."""
    found = [k.statement for k in known]
    return [f"{NOWHERE if s.cell < 0 else mark(s.cell, s.line)}\n{s.text}" for s in found]


def _once(known: list[Known]) -> list[Known]:
    """The first of those with the same text."""
    return list({k.statement.text: k for k in reversed(known)}.values())[::-1]


def _text(chain: list[Known]) -> str:
    return "\n".join(k.statement.text for k in chain)
