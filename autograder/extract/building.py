"""What was decided -> the files that are graded, where each exercise was taken from, and what to tell."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .built import Built
from .candidates import Candidate, Decision
from .imports import Modules, imports_in, loaded
from .marks import NOWHERE, mark
from .modules import File, absent, importing, stub_of
from .names import is_stub
from .sources import Kit, Source
from .statements import Broken
from .telling import listed, tell


def build(decision: Decision, sources: Sequence[Source], kit: Kit) -> Built:
    """Puts everything together."""
    return _Building(decision, sources, kit).built()


class _Building:
    def __init__(self, decision: Decision, sources: Sequence[Source], kit: Kit) -> None:
        self.decision, self.sources, self.kit = decision, sources, kit
        self.order = list(kit.stubs)
        self.out = Built()
        self.supplies: dict[int, set[str]] = {}  # source -> the files it has exercises for
        for symbol, c in decision.taken.items():
            self.supplies.setdefault(id(c.source), set()).add(kit.symbols[symbol])
        self.also: dict[str, set[str]] = {}  # file -> other names that are imported from it
        self.asked: set[str] = set()  # exercises that something imports from their file
        self.nodes: dict[str, tuple[Source, Sequence[ast.AST]]] = {}  # file -> what is in it of which source

    def built(self) -> Built:
        self._find_also()
        self.out.notebook = self._main_notebook()
        for file in self.order:
            taken = {s: c for s, c in self.decision.taken.items() if self.kit.symbols[s] == file}
            if taken:
                self._file(file, taken)
            else:
                self._nothing_written(file)
        self._own_modules()
        tell(self.out, self.decision, self.kit)
        return self.out

    def _find_also(self) -> None:
        for source in self.sources:
            for one in imports_in(k.statement.node for k in source.all_of.student if k.is_import):
                if one.parts and (file := one.parts[-1] + ".py") in self.order:
                    self.also.setdefault(file, set()).update(
                        n for n in one.names if n not in self.kit.symbols
                    )
            for one in imports_in([source.tree] if source.tree else ()):  # as they are given, too
                file = one.parts[-1] + ".py" if one.parts else ""
                self.asked.update(n for n in one.names if self.kit.symbols.get(n) == file)

    def _main_notebook(self) -> Source | None:
        """The notebook that most was taken from; when nothing was, the one that was handed out, or any."""
        used = [c.source for c in self.decision.taken.values() if c.source.notebook]
        if used:
            return max(dict.fromkeys(used), key=used.count)
        there = [c.source for found in self.decision.unwritten.values() for c in found if c.source.notebook]
        return there[0] if there else None

    # -- one file

    def _file(self, file: str, taken: dict[str, Candidate]) -> None:
        """From one source as it is, or put together; what is from other sources in modules beside it."""
        by_source: dict[int, list[Candidate]] = {}
        for c in taken.values():
            by_source.setdefault(id(c.source), []).append(c)
        groups = sorted(by_source.values(), key=lambda g: (-len(g), not self._named(g[0].source, file)))
        source, beside = groups[0][0].source, groups[1:]
        modules = {f"{file.removesuffix('.py')}_{i}.py": g for i, g in enumerate(beside, 2)}
        ends = [importing(name, [c.symbol for c in group]) for name, group in modules.items()]
        if self._as_it_is(source, file, groups):
            end = "".join(f"\n{line}" for line in ends) + "\n" if ends else ""
            self._verbatim(file, source, end)
        else:
            made = File(source, file, self.kit.symbols, self.order, file, self.also.get(file, ()))
            for symbol in self._symbols(file):
                if symbol not in taken or taken[symbol].source is source:
                    self._put(symbol, made, taken.get(symbol))
            end = "".join(f"{line}\n" for line in ends)
            self._made(file, made, end)
        home = dict(self.kit.symbols) | {c.symbol: name for name, group in modules.items() for c in group}
        for name, group in modules.items():
            extra = File(group[0].source, name, home, self.order, file)
            for c in group:
                self._put(c.symbol, extra, c)
            self._made(name, extra)

    def _symbols(self, file: str) -> list[str]:
        return [s for s, f in self.kit.symbols.items() if f == file]

    def _named(self, source: Source, file: str) -> bool:
        return self.decision.expected(source, file) and not source.notebook

    def _as_it_is(self, source: Source, file: str, groups: Sequence[Sequence[Candidate]]) -> bool:
        """Whether a source can be graded as it stands: its lines then keep their numbers."""
        if source.notebook or self.supplies[id(source)] != {file} or "get_ipython" in source.text:
            return False
        if source.tree is None and (len(groups) > 1 or not source.all_of.broken):
            return False  # with magics or shell lines in it, which are no Python but can be left out
        if self._leans_on_others(source, file):
            return False
        for c in groups[0]:
            binding = source.all_of.binding(source.all_of.student, c.symbol)
            if c.known is not None and source.tree is not None and binding[-1] is not c.known:
                return False
        return True

    def _leans_on_others(self, source: Source, file: str) -> bool:
        """Whether a file of an own name uses exercises that it neither holds nor imports: somebody who hands
        in a file an exercise had all of them loaded."""
        if self.decision.expected(source, file) or source.tree is None:
            return False
        known = [*source.all_of.student, *source.all_of.locked]
        there = {name for k in known for name in k.names.binds}
        there |= {name for one in imports_in([source.tree]) for name in one.names}
        needed = {name for k in known for name in k.names.needs}
        return "*" not in there and bool(needed & self.decision.taken.keys() - there)

    def _put(self, symbol: str, made: File, c: Candidate | None) -> None:
        """The definition of a symbol, or what stands for it."""
        source = made.source
        if c is not None and c.broken is not None:
            made.extra(self._refusing(symbol, c.broken, source))
            return
        if c is None:
            there = [c for c in self.decision.unwritten.get(symbol, ()) if c.source is source]
            known = there[0].known if there else None
            if known is None or is_stub(known.statement.node):
                if not self.decision.unwritten.get(symbol) and source.notebook:
                    self.out.flag("notebook.not_found", exercise=symbol)
                made.extra(f"{NOWHERE}\n{stub_of(symbol, self.kit.stubs[self.kit.symbols[symbol]])}")
                return
        else:
            known = c.known
        assert known is not None
        chain = source.all_of.chain(symbol, known)
        made.symbol(symbol, chain)
        if c is not None and source.notebook:
            self._about_cells(c, [k.statement.cell for k in chain])

    def _refusing(self, symbol: str, broken: Broken, source: Source) -> str:
        place = {"line": broken.line, "text": broken.text, "says": broken.says}
        if source.notebook:
            self.out.flag("notebook.syntax", exercise=symbol, cell=broken.cell + 1, **place)
        marked = mark(broken.cell if source.notebook else None, broken.line, broken=True)
        says = f"{broken.says}: {broken.text}"
        return f"{marked}\ndef {symbol}(*_, **__):\n    raise SyntaxError({says!r})"

    def _about_cells(self, c: Candidate, chain: Sequence[int]) -> None:
        """What a person should know of the notebook's cells."""
        source, where, known = c.source, (c.cell or 1) - 1, c.known
        assert known is not None
        written = [k for k in source.defining(c.symbol) if source.written(k, c.symbol)]
        differing = {k.statement.cell for k in written if source.plain(k)[0] != source.plain(known)[0]}
        differing -= {cell for cell, why in source.restored.items() if why == "text"}
        others = sorted(cell + 1 for cell in differing - set(chain))
        if others:
            self.out.flag("notebook.duplicate", exercise=c.symbol, used=where + 1, cells=others)
        if where in source.restored:
            self.out.flag("notebook.restored", exercise=c.symbol, used=where + 1)
        elif source.grade_ids[where] != c.symbol and c.symbol in source.grade_ids:
            self.out.flag("notebook.elsewhere", exercise=c.symbol, used=where + 1)

    def _nothing_written(self, file: str) -> None:
        """The file as it was handed in, though nobody sees an exercise written in it; or the notebook's."""
        there = [s for s in self.sources if s.meant == file and not s.notebook]
        exact = [s for s in there if self._named(s, file)]
        there = exact or list({s.data: s for s in reversed(there)}.values())[::-1]
        if len(there) > 1:
            self.out.problem("file.several", file=file, found=listed(s.shown for s in there))
        elif there:
            self._verbatim(file, there[0], "")
        elif self.out.notebook is not None:
            made = File(self.out.notebook, file, self.kit.symbols, self.order, file)
            for symbol in self._symbols(file):
                self._put(symbol, made, None)
            self._made(file, made)

    def _verbatim(self, file: str, source: Source, end: str) -> None:
        self.out.verbatim[file] = source, end + self._absent(file, source)
        self.nodes[file] = (
            source,
            [source.tree] if source.tree else [k.statement.node for k in source.all_of.student],
        )
        if not self.decision.expected(source, file):
            self.out.flag("read_as", found=source.shown, file=file)

    def _absent(self, file: str, source: Source) -> str:
        """What raises in the place of exercises that a file does not name at all (a class that is called
        otherwise) and others import from it: those can be loaded."""
        if source.tree is None:  # its own fault is told, at the line where it is
            return ""
        all_of = source.all_of
        return "".join(
            absent(symbol, self.kit.stubs[file])
            for symbol in self._symbols(file)
            if symbol in self.asked - self.decision.taken.keys()
            and not all_of.binding(all_of.student, symbol)
        )

    def _made(self, name: str, made: File, end: str = "") -> None:
        self.out.files[name] = made.text() + end
        self.nodes[name] = made.source, [k.statement.node for k in made.statements()]
        for helper in made.ambiguous():
            self.out.flag("notebook.helper_twice", name=helper, file=made.standing)

    # -- what they import

    def _own_modules(self) -> None:
        """The student's own modules that the files import."""
        modules = Modules(self.sources, self.decision.home)
        found, twice = loaded(self.nodes, modules, [*self.order, *self.nodes])
        of_source = {id(source): file for file, (source, _) in self.out.verbatim.items()}
        for name, source in found.items():
            if id(source) in of_source:  # the same module by another name
                module = f"exercises.{of_source[id(source)].removesuffix('.py')}"
                self.out.files[name] = (
                    f"import sys\n\nimport {module}\n\nsys.modules[__name__] = sys.modules[{module!r}]\n"
                )
            else:
                self.out.verbatim[name] = source, ""
        for name in twice:
            self.out.flag("module_twice", file=name, used=found[name].shown)
