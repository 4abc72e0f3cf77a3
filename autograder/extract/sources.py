"""One file or notebook of a submission, taken apart once."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from .bindings import Bindings, Known, bindings_of, takes_ours
from .cells import Cell, NotANotebook, read_cells
from .statements import PARSE_ERRORS
from .written import FUNCTIONS, imports_of, is_written, plain

Path = tuple[str, ...]


@dataclass(frozen=True)
class Kit:
    """What the kit itself says. `symbols`: exercise symbol -> its file, in order; `stubs`: file -> text as
    students get it; `given`: what every notebook has, whatever its cells say; `methods`: symbol of a class
    -> its methods that are the exercise; `own`: definitions that are the kit's, as plain text."""

    symbols: Mapping[str, str]
    stubs: Mapping[str, str]
    notebook: str
    given: list[Known] = field(default_factory=list)
    methods: Mapping[str, Sequence[str]] = field(default_factory=dict)
    own: frozenset[str] = frozenset()


@dataclass(eq=False)
class Source:
    """A file (as one cell) or a notebook. `path`: in the submission; `shown`: the same for people; `meant`:
    the exercises' file that its name stands for, ""; `likely`: whether such a file may well hold exercises.
    """

    path: Path
    shown: str
    notebook: bool
    data: bytes
    kit: Kit
    meant: str = ""
    likely: bool = True
    damage: str = ""
    unreadable: str = ""
    # Cells that are read as code though they are not: "type" (by its name) or "text" (by what it says).
    restored: dict[int, str] = field(default_factory=dict)

    def read(self, max_code: int) -> int:
        """Reads the cells, at most so many characters; says how many they have."""
        if self.notebook:
            try:
                found, self.damage = read_cells(self.data, max_code)
            except NotANotebook as e:
                found, self.unreadable = [], str(e)
        else:
            found = [Cell("code", self.text)]
        self.cells: list[Cell] = found
        return sum(len(cell.source) for cell in found)

    @cached_property
    def text(self) -> str:
        """Of a file."""
        return self.data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")

    @cached_property
    def grade_ids(self) -> list[str]:
        return [cell.grade_id for cell in self.cells]

    @cached_property
    def code(self) -> list[Cell]:
        """The cells, those that were turned into another type and hold code turned back."""
        return [self._as_code(i, cell) for i, cell in enumerate(self.cells)]

    def _as_code(self, i: int, cell: Cell) -> Cell:
        if cell.type == "code":
            return cell
        if cell.grade_id in self.kit.symbols:  # as nbgrader does
            self.restored[i] = "type"
            return Cell("code", cell.source, cell.grade_id)
        if any(symbol in cell.source for symbol in self.kit.symbols):
            text = _without_fence(cell.source)
            if _tree(text) is not None:
                self.restored[i] = "text"
                return Cell("code", text, cell.grade_id)
        return cell

    @cached_property
    def all_of(self) -> Bindings:
        return bindings_of(self.code, self.kit.given, self.kit.symbols)

    @cached_property
    def tree(self) -> ast.Module | None:
        """Of a file: None where it is not Python as it stands."""
        return None if self.notebook else _tree(self.text)

    @cached_property
    def functions(self) -> frozenset[str]:
        """Names of functions and classes in it, and whatever is imported."""
        found: set[str] = set()
        for known in (*self.all_of.student, *self.all_of.locked):
            node = known.statement.node
            value = node.value if isinstance(node, ast.Assign) else None
            if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)):
                name = getattr(node, "name", "")
                if isinstance(node, FUNCTIONS) and is_written(node, name, (), ()) is False:
                    continue
                found |= known.names.binds
            elif isinstance(value, ast.Lambda):
                found |= known.names.binds
        return frozenset(found)

    def written(self, known: Known, symbol: str) -> bool | None:
        """Whether a statement writes an exercise. None: it does not define it."""
        imports = imports_of(known.statement.node, symbol)
        if imports and all(takes_ours(node, symbol, self.kit.symbols) for node in imports):
            return None  # `try: from exercises.norm import …`
        methods = self.kit.methods.get(symbol, ())
        found = is_written(known.statement.node, symbol, methods, self.functions)
        if found is False and isinstance(known.statement.node, ast.ClassDef):
            return any(_attaches(k, methods) for k in self.all_of.changing([symbol]))
        return found

    def defining(self, symbol: str) -> list[Known]:
        """All statements that define an exercise's symbol, the one that counts first.

        Written before unwritten, code before text, the exercise's own cell before others, later before
        earlier. What is the kit's own does not count.
        """
        every = (
            *self.all_of.binding(self.all_of.student, symbol),
            *self.all_of.binding(self.all_of.locked, symbol),
        )
        rated = [(self.written(k, symbol), k) for k in every]
        found = [
            (w, k) for w, k in rated if w is not None and (not w or self.plain(k)[0] not in self.kit.own)
        ]
        found.sort(
            key=lambda pair: (
                not pair[0],
                self.restored.get(pair[1].statement.cell) == "text",
                self.grade_ids[pair[1].statement.cell] != symbol,
                -pair[1].statement.cell,
                -pair[1].statement.line,
            )
        )
        return [k for _, k in found]

    @cached_property
    def _plain(self) -> dict[int, tuple[str, frozenset[str]]]:
        return {}

    def plain(self, known: Known) -> tuple[str, frozenset[str]]:
        """See written.plain; worked out once."""
        key = id(known)
        if key not in self._plain:
            self._plain[key] = plain(known.statement.node)
        return self._plain[key]


def _attaches(known: Known, methods: Sequence[str]) -> bool:
    """Whether it is `Class.forward = …` or setattr(Class, "forward", …) for one of these methods."""
    node = known.statement.node
    if isinstance(node, ast.Assign):
        return any(isinstance(t, ast.Attribute) and t.attr in methods for t in node.targets)
    said = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return bool(said & set(methods))


def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except PARSE_ERRORS:
        return None


def _without_fence(text: str) -> str:
    """Code between ``` lines, as Markdown has it; other text as it is."""
    lines = text.strip("\n").split("\n")
    if len(lines) > 1 and lines[0].strip().startswith("```") and lines[-1].strip() == "```":
        return "\n" + "\n".join(lines[1:-1])
    return text
