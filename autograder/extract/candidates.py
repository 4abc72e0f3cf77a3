"""Which definition of each exercise counts, among all files and notebooks of a submission."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from .bindings import PACKAGE, Known
from .imports import Import, Modules, imports_in
from .sources import Kit, Path, Source
from .statements import Broken
from .written import imports_of

ELSEWHERE = 2  # tier of what has not the expected name and place
CHAIN = 20  # modules that import an exercise from each other, one after the other


class Status(IntEnum):
    """How much of a definition there is; the lower one counts."""

    WRITTEN = 0
    IN_TEXT = 1  # in a cell of a notebook that is not code
    BROKEN = 2  # not Python, but it seems to be this exercise
    UNWRITTEN = 3


@dataclass(frozen=True, eq=False)
class Candidate:
    """The definition of one exercise's symbol in one source: the best one there."""

    source: Source
    symbol: str
    status: Status
    known: Known | None = None
    broken: Broken | None = None

    @property
    def cell(self) -> int | None:
        """The cell of a notebook, from 1."""
        place = self.known.statement if self.known else self.broken
        return place.cell + 1 if self.source.notebook and place else None

    @property
    def is_import(self) -> bool:
        """Whether the symbol is only imported there, be it in a `try`."""
        return self.known is not None and bool(imports_of(self.known.statement.node, self.symbol))

    @property
    def line(self) -> int:
        place = self.known.statement if self.known else self.broken
        return place.line if place else 1


@dataclass
class Decision:
    """`taken`: symbol -> the definition that counts; `others`: others that are written, in other words;
    `undecided`: symbol -> those between which a person has to decide."""

    home: Path
    taken: dict[str, Candidate] = field(default_factory=dict)
    others: dict[str, list[Candidate]] = field(default_factory=dict)
    undecided: dict[str, list[Candidate]] = field(default_factory=dict)
    unwritten: dict[str, list[Candidate]] = field(default_factory=dict)

    def expected(self, source: Source, file: str) -> bool:
        """Whether a source has the name and the place in which a file's exercises are expected."""
        return source.path[:-1] == self.home and source.path[-1] in (file, source.kit.notebook)


def candidates_in(source: Source) -> list[Candidate]:
    """Those of one source."""
    found = []
    for symbol in source.kit.symbols:
        defining = source.defining(symbol)
        written = defining and source.written(defining[0], symbol)
        if written:
            in_text = source.restored.get(defining[0].statement.cell) == "text"
            found.append(
                Candidate(source, symbol, Status.IN_TEXT if in_text else Status.WRITTEN, defining[0])
            )
        elif broken := _broken(source, symbol):
            found.append(Candidate(source, symbol, Status.BROKEN, broken=broken))
        elif defining:
            found.append(Candidate(source, symbol, Status.UNWRITTEN, defining[0]))
    return found


def _broken(source: Source, symbol: str) -> Broken | None:
    """The last piece that is not Python and seems to be this exercise."""
    found = [b for b in source.all_of.broken if symbol in b.defines or source.grade_ids[b.cell] == symbol]
    return found[-1] if found else None


def home_of(paths: Sequence[Path]) -> Path:
    """Where the exercises are expected: the folder `exercises`, else the outermost one that is not a mere
    wrapper. paths: of all files that have something to do with the exercises."""
    folders = {path[:-1] for path in paths}
    named = {f[: f.index(PACKAGE) + 1] for f in folders if PACKAGE in f}
    if len(named) == 1:
        return named.pop()
    common: Path = ()
    for parts in zip(*folders, strict=False):
        if len(set(parts)) > 1:
            break
        common = (*common, parts[0])
    return common


def decide(sources: Sequence[Source], kit: Kit, *, notebook_first: bool = False) -> Decision:
    """Decides for every exercise by itself; see Decision."""
    every = [c for source in sources for c in candidates_in(source)]
    home = home_of([c.source.path for c in every] + [s.path for s in sources if s.meant])
    decision = Decision(home)
    same = _Sameness(Modules(sources, home))
    pools = {symbol: _pool([c for c in every if c.symbol == symbol]) for symbol in kit.symbols}
    groups = {symbol: same.grouped(pool) for symbol, pool in pools.items()}
    count = Counter(id(c.source) for found in groups.values() for group in found for c in group)
    for symbol, found in groups.items():
        decision.unwritten[symbol] = [c for c in every if c.symbol == symbol and c.status is Status.UNWRITTEN]

        def rank(c: Candidate, file: str = kit.symbols[symbol]) -> tuple[int, bool, int, int, Path]:
            tier = (int(notebook_first), int(not notebook_first))[c.source.notebook]
            tier = tier if decision.expected(c.source, file) else ELSEWHERE
            path = c.source.path
            return tier, c.is_import, -count[id(c.source)], len(path), path

        decision.unwritten[symbol].sort(key=rank)
        if not found:
            continue
        best = [min(group, key=rank) for group in found]
        best.sort(key=rank)
        if len(best) > 1 and best[0].status < Status.BROKEN:
            decision.others[symbol] = best[1:]
            if rank(best[0])[0] == ELSEWHERE:
                decision.undecided[symbol] = best
                continue
        decision.taken[symbol] = best[0]
    return decision


def _pool(found: list[Candidate]) -> list[Candidate]:
    """Those of the best status, where exercises are expected rather than in notes and tests."""
    for status in (Status.WRITTEN, Status.IN_TEXT, Status.BROKEN):
        for likely in (True, False):
            pool = [c for c in found if c.status is status and c.source.likely is likely]
            if pool:
                return pool
    return []


class _Sameness:
    """Finds definitions that say the same, with what they use of their own source."""

    def __init__(self, modules: Modules) -> None:
        self._modules = modules
        self._whole: dict[int, str] = {}

    def grouped(self, pool: Sequence[Candidate]) -> list[list[Candidate]]:
        """Equal ones together. What is not Python is equal to nothing."""
        if len(pool) < 2 or pool[0].status is Status.BROKEN:
            return [[c] for c in pool]
        groups: dict[str, list[Candidate]] = {}
        for candidate in [c for c in pool if not self._hands_on(c)] or pool:
            groups.setdefault(self._print(candidate), []).append(candidate)
        return list(groups.values())

    def _print(self, candidate: Candidate) -> str:
        """A text that is equal for equal definitions."""
        candidate = self._origin(candidate)
        source, symbol = candidate.source, candidate.symbol
        assert candidate.known is not None
        todo = source.all_of.chain(symbol, candidate.known) + source.all_of.changing([symbol])
        seen = {id(k) for k in todo}
        said: list[str] = []
        while todo:
            known = todo.pop()
            text, names = source.plain(known)
            if known.is_import:
                text = self._imported(known, source)
            said.append(text)
            for name in sorted(known.names.needs & names):
                if name in source.kit.symbols:
                    continue
                for one in source.all_of.of(name):
                    if one.statement.cell >= 0 and id(one) not in seen:
                        seen.add(id(one))
                        todo.append(one)
        return hashlib.sha256("\n".join(sorted(filter(None, said))).encode("utf-8", "replace")).hexdigest()

    def _origin(self, candidate: Candidate) -> Candidate:
        """Where an exercise that is only imported is written, if that is in the submission."""
        for _ in range(CHAIN):
            known, symbol = candidate.known, candidate.symbol
            if known is None or not candidate.is_import:
                break
            for one, module in self._own(known, candidate.source):
                there = module.defining(symbol) if symbol in one.names else []
                if there and module is not candidate.source:
                    candidate = Candidate(module, symbol, Status.WRITTEN, there[0])
                    break
            else:
                break
        return candidate

    def _hands_on(self, candidate: Candidate) -> bool:
        """Whether it only imports the exercise, from the student's own module that gets it elsewhere."""
        last = self._origin(candidate)
        return last.is_import and last.known is not None and bool(self._own(last.known, last.source))

    def _own(self, known: Known, source: Source) -> list[tuple[Import, Source]]:
        """The student's own modules that a statement imports."""
        found = imports_in([known.statement.node])
        return [(one, m) for one in found for m in self._modules.meant(one, source, source.path[-1]).values()]

    def _imported(self, known: Known, source: Source) -> str:
        """Of an import: the student's own modules; others' packages are no part of what is written."""
        return "".join(self._text(module) for _, module in self._own(known, source))

    def _text(self, source: Source) -> str:
        if id(source) not in self._whole:
            tree = source.tree
            self._whole[id(source)] = (
                source.text if tree is None else "\n".join(source.plain(k)[0] for k in source.all_of.student)
            )
        return self._whole[id(source)]
