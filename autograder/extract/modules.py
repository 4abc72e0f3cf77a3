"""Statements of notebooks and files -> one of the exercises' files, as a student would have written it.

A file holds its own symbols and what they need, wherever that stands; symbols of another file are imported
from it. So a fault in one cell stays in its file, and an earlier exercise can be replaced for follow-through
credit exactly as in a submission of files.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence

from .bindings import PACKAGE, Known, bindings_of
from .cells import Cell
from .marks import NOWHERE, header, mark
from .sources import Source

_DISPLAY = "def display(*things, **options):\n    print(*things)"


def given_in(stub: str) -> str:
    """What a stub file gives besides its exercises: imports of others' packages, names for types."""
    tree = ast.parse(stub)
    keep: list[ast.stmt] = [
        node
        for node in tree.body
        if isinstance(node, ast.Import | ast.Assign)
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] != PACKAGE)
    ]
    return "\n".join(ast.unparse(node) for node in keep)


def stub_of(symbol: str, stub: str) -> str:
    """The text of one exercise as students get it."""
    for node in ast.parse(stub).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == symbol:
            return ast.unparse(node)
    raise ValueError(f"the stubs have no {symbol}")


def absent(symbol: str, stub: str) -> str:
    """Lines for a file's end that define an exercise as not written, unless the file does define it."""
    raises = f"raise NotImplementedError({f'{symbol} is not written yet'!r})"
    kind = next(n for n in ast.parse(stub).body if getattr(n, "name", None) == symbol)
    if isinstance(kind, ast.ClassDef):
        lines = f"class {symbol}:\n        def __init__(self, *_, **__):\n            {raises}"
    else:
        lines = f"def {symbol}(*_, **__):\n        {raises}"
    return f"\ntry:\n    {symbol}\nexcept NameError:\n    {lines}\n"


class File:
    """One file that is put together from one source.

    home: symbol -> file name of the module that it is imported from ("norm.py"), its own ones too; name:
    the file's own; order: the exercises' files in their order, `standing` the one of them that this belongs
    to; also: other names that somebody imports from it.
    """

    def __init__(
        self,
        source: Source,
        name: str,
        home: Mapping[str, str],
        order: Sequence[str],
        standing: str,
        also: Collection[str] = (),
    ) -> None:
        self.source, self.name, self.home, self.order, self.standing = source, name, home, order, standing
        self.also = also
        self.chosen: dict[str, list[Known]] = {}
        self.extras: list[str] = []

    def symbol(self, symbol: str, chain: list[Known]) -> None:
        """Takes a definition."""
        self.chosen[symbol] = chain

    def extra(self, text: str) -> None:
        """Text of ours that takes a symbol's place."""
        self.extras.append(text)

    def _closure(self, chosen: Iterable[str], upto: int) -> tuple[dict[str, list[Known]], set[str], set[str]]:
        """(name -> the statements it comes from, symbols of other files, names that nothing binds)."""
        all_of = self.source.all_of
        found = {symbol: self.chosen[symbol] for symbol in chosen}
        for name in sorted(self.also):
            if name not in found and (chain := all_of.of(name, upto)):
                found[name] = chain
        elsewhere: set[str] = set()
        unknown: set[str] = set()
        changed: set[int] = set()
        earliest: set[int] = set()
        todo = [k for chain in found.values() for k in chain]
        for text in self.extras:
            todo += bindings_of([Cell("code", text)], []).student
        while todo:
            known = todo.pop()
            for name in sorted(known.names.needs | known.names.binds):
                if name in found or self.home.get(name) == self.name:
                    continue
                if name in self.home:
                    elsewhere.add(name)
                    continue
                if name in known.names.binds and name not in known.names.needs:
                    continue  # import a, b: only what is needed is followed
                chain = all_of.of(name, upto)
                if chain:
                    found[name] = chain
                    todo += chain
                else:
                    unknown.add(name)
            for name in sorted(known.names.now):  # `old = f` above another f: the f of that moment
                if name in self.home and self.home[name] != self.name:
                    continue
                for earlier in all_of.before(name, known):
                    if id(earlier) not in earliest:
                        earliest.add(id(earlier))
                        found[f"{name} at {earlier.place}"] = [earlier]
                        todo.append(earlier)
            for change in all_of.changing([n for n in known.names.binds if n in found]):
                if id(change) not in changed:
                    changed.add(id(change))
                    found[f"{change.place} changes"] = [change]
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

    def statements(self) -> list[Known]:
        """Everything of the source that is in the file, in its order."""
        found, _, unknown = self._closure(self.chosen, self._upto(self.chosen))
        every = {id(k): k for chain in found.values() for k in chain}
        if unknown:
            every |= {id(k): k for k in self.source.all_of.stars()}
        return sorted(every.values(), key=lambda k: k.place)

    def text(self) -> str:
        """The file."""
        _, elsewhere, unknown = self._closure(self.chosen, self._upto(self.chosen))
        known = self.statements()
        future = [k for k in known if k.is_import and "annotations" in k.names.binds]
        late = [k for k in known if k.is_import and self._later_file(k)]
        imports = [k for k in known if k.is_import and k not in future and k not in late]
        rest = [k for k in known if not k.is_import]
        mine = self.order.index(self.standing)
        after = sorted(s for s in elsewhere if self._rank(self.home[s]) > mine)
        before = sorted(elsewhere - set(after))
        shown = "" if self.source.notebook else self.source.shown
        parts = [header(shown), *self._marked(_once(future)), *self._marked(_once(imports)), NOWHERE]
        parts += [importing(self.home[s], [s]) for s in before]
        if "display" in unknown:
            parts.append(_DISPLAY)
        parts += ["\n" + text for text in self._marked(rest)]
        parts += ["\n" + text for text in self.extras]
        parts += self._marked(_once(late))
        parts.append(NOWHERE)
        # Imported last, so that two files may need each other.
        parts += [importing(self.home[s], [s]) for s in after]
        return "\n".join(parts) + "\n"

    def _rank(self, file: str) -> int:
        """Where a module stands in the exercises' order; one that is no exercise's own file comes last."""
        return self.order.index(file) if file in self.order else len(self.order)

    def _later_file(self, known: Known) -> bool:
        """Whether it imports from an exercises' file that comes after this one."""
        node = known.statement.node
        if not isinstance(node, ast.ImportFrom) or not node.module:
            return False
        file = node.module.rpartition(".")[2] + ".py"
        return file in self.order and self.order.index(file) > self.order.index(self.standing)

    def _marked(self, known: list[Known]) -> list[str]:
        """Their texts, each below what says where it comes from."""
        return [f"{self.marked(k)}\n{k.statement.text}" for k in known]

    def marked(self, known: Known) -> str:
        """What says where a statement comes from."""
        place = known.statement
        if place.cell < 0:
            return NOWHERE
        return mark(place.cell if self.source.notebook else None, place.line)


def importing(file: str, symbols: Iterable[str]) -> str:
    """The line that imports symbols from a file of the submission."""
    return f"from {PACKAGE}.{file.removesuffix('.py')} import {', '.join(symbols)}"


def _once(known: list[Known]) -> list[Known]:
    """The first of those with the same text."""
    return list({k.statement.text: k for k in reversed(known)}.values())[::-1]


def _text(chain: list[Known]) -> str:
    return "\n".join(k.statement.text for k in chain)
