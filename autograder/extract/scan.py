"""Where the files of a submission use names that are looked for, however these are spelt.

A file is read as Python reads it (its coding line, names after NFKC). What Python's parser cannot read is
taken apart by lexing.py. Comments and docstrings are no uses.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping

from .constants import constants_of
from .lexing import names_in, tokens_of
from .reach import AT_IMPORT, BUILTINS, NOT_RUN, RUNS_TEXT, File, Use, Wanted, module_parts, where

PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError)
LONGEST_NAME = 300  # letters of a string that can be a name, or names with dots
Begins = Callable[[str], None]

_DOTS = re.compile(r"[.:]+")  # "aten::name" too
_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
# What is text may be run as code by whoever uses these. (Not as attributes: everybody writes `model.eval()`.)
_RUN_TEXT = frozenset({"eval", "exec", "compile"})
_RUN_TEXT_TOO = frozenset(
    {"CompilationUnit", "InteractiveInterpreter", "Unpickler", "loads", "run_code", "runpy"}
)
# Who lists the names of a module may pick one by a part of it.
_LISTS = frozenset({"__all__", "__dict__", "dir", "getmembers", "vars"})
LEAST_PART = 6  # letters


class Names:
    """The names that are looked for."""

    def __init__(self, names: Collection[str]) -> None:
        self._plain = frozenset(n for n in names if "." not in n and not n.endswith("*"))
        self._begin = tuple(n[:-1] for n in names if n.endswith("*"))
        self._dotted = {tuple(n.split(".")): n for n in names if "." in n}
        self._deepest = max(map(len, self._dotted), default=1)

    def among(self, path: list[str]) -> Iterator[tuple[str, str]]:
        """(what is looked for, as it is spelt) for the parts of a dotted path."""
        parts = [unicodedata.normalize("NFKC", p) if not p.isascii() else p for p in path]
        for i, part in enumerate(parts):
            if part in self._plain:
                yield part, part
            elif self._begin and part.startswith(self._begin):
                found = next(b for b in self._begin if part.startswith(b)) + "*"
                yield found, part if part.isascii() and part.isidentifier() and len(part) < 100 else found
            for depth in range(2, min(self._deepest, i + 1) + 1):
                if (name := self._dotted.get(tuple(parts[i + 1 - depth : i + 1]))) is not None:
                    yield name, name

    def with_part(self, part: str) -> Iterator[tuple[str, str]]:
        """Those that a part of a name may be meant for."""
        telling = "_" in part.strip("_") or not part.islower()  # not "attention", nor "process"
        if LEAST_PART <= len(part) <= LONGEST_NAME and telling:
            yield from ((name, name) for name in sorted(self._plain) if part in name)

    def in_attribute(self, node: ast.Attribute) -> Iterator[tuple[str, str]]:
        """The same for the last part of a.b.c, and the few before it that may belong to it."""
        path, value = [node.attr], node.value
        while len(path) < self._deepest and isinstance(value, ast.Attribute):
            path, value = [value.attr, *path], value.value
        if len(path) < self._deepest and isinstance(value, ast.Name):
            path = [value.id, *path]
        for found, spelt in self.among(path):
            if spelt.split(".")[-1] == path[-1] or found.endswith("*"):
                yield found, spelt


def scan_text(text: str, names: Names) -> File:
    """A text that may be no Python: all of it counts, wherever it stands."""
    file = File()
    file.mentions(AT_IMPORT, [])
    for token in tokens_of(text):
        path = [token.text]
        if token.kind == "string":
            path = _DOTS.split(token.text) if len(token.text) <= LONGEST_NAME else []
        file.uses += [Use(*found, token.line, AT_IMPORT, False) for found in names.among(path)]
        if token.kind == "name":
            file.mentions(AT_IMPORT, [token.text])
    return file


def scan_tree(tree: ast.Module, names: Names, own: Collection[str]) -> File:
    """A file that is Python. own: names of the submission's modules."""
    nodes = list(ast.walk(tree))
    constants = constants_of(nodes)
    bare = {n.id for n in nodes if isinstance(n, ast.Name)}
    every = bare | {n.attr for n in nodes if isinstance(n, ast.Attribute)}
    if every & BUILTINS:
        bare = every | {v for v in constants.values() if isinstance(v, str) and len(v) < LONGEST_NAME}
    runs = bool(bare & _RUN_TEXT or every & _RUN_TEXT_TOO)
    told = _Told(names, own, constants, runs, runs or "__doc__" in every, bool(every & _LISTS))
    for statement in tree.body:
        told.statement(statement)
    if runs:
        told.file.mentions(AT_IMPORT, [RUNS_TEXT])
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            told.file.own.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            told.file.own.add(node.name)
        elif isinstance(node, ast.arg):
            told.file.own.add(node.arg)
    return told.file


class _Told:
    """Gathers uses, statement by statement."""

    def __init__(
        self,
        names: Names,
        own: Collection[str],
        constants: Mapping[ast.AST, object],
        runs: bool,
        docstrings: bool,
        lists: bool,
    ) -> None:
        self.file = File()
        self._names, self._own, self._constants = names, own, constants
        self._runs, self._docstrings, self._lists = runs, docstrings, lists

    def statement(self, top: ast.stmt) -> None:
        """One statement at the left edge, or the parts of `if __name__ == "__main__"`."""
        if _asks_for_main(top):
            assert isinstance(top, ast.If)
            for inner in top.body:
                self._whole(inner, [NOT_RUN])
            for inner in top.orelse:
                self._whole(inner, [AT_IMPORT])
        elif isinstance(top, ast.Import | ast.ImportFrom):
            for alias in top.names:
                bound = (alias.asname or alias.name).partition(".")[0]
                self._import(top, alias, [bound if bound != "*" else AT_IMPORT])
        else:
            binds = _binds(top)
            self.file.defines |= set(binds)
            self._whole(top, binds or [AT_IMPORT])

    def _whole(self, top: ast.stmt, owners: list[str]) -> None:
        texts: set[ast.AST] = set()  # docstrings, and what else is only text
        for node in ast.walk(top):
            match node:
                case ast.Name():
                    self._mentioned(owners, [node.id])
                    if isinstance(node.ctx, ast.Load):
                        self._found(self._names.among([node.id]), node.lineno, owners, bare=True)
                case ast.Attribute():
                    self._mentioned(owners, [node.attr])
                    mine = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
                    self._found(self._names.in_attribute(node), node.lineno, owners, bare=mine)
                case ast.Import() | ast.ImportFrom():
                    for alias in node.names:
                        self._import(node, alias, owners)
                case ast.Expr(value=ast.Constant()) if not self._docstrings:
                    texts.add(node.value)
            if node in texts:
                continue
            value = node.value if isinstance(node, ast.Constant) else self._constants.get(node)
            if isinstance(value, bytes):
                value = value.decode("latin-1")
            if isinstance(value, str):
                self._string(value, getattr(node, "lineno", 1), owners)

    def _import(self, node: ast.Import | ast.ImportFrom, alias: ast.alias, owners: list[str]) -> None:
        path, mine = alias.name.split("."), False
        if isinstance(node, ast.ImportFrom):
            module = (node.module or "").split(".")
            mine = node.level > 0 or module[-1] in self._own
            self.file.star |= path == ["*"] and not mine
            path = [*module, *path]
        self._mentioned(owners, path)
        self._found(self._names.among(path), node.lineno, owners, bare=mine)

    def _string(self, value: str, line: int, owners: list[str]) -> None:
        if len(value) <= LONGEST_NAME:
            path = _DOTS.split(value)
            self._mentioned(owners, path)
            self._found(self._names.among(path), line, owners)
            if self._lists:
                self._found(self._names.with_part(value), line, owners)
        if self._runs:
            inside = names_in(value)
            self._mentioned(owners, inside)
            self._found(self._names.among(sorted(inside)), line, owners)

    def _mentioned(self, owners: list[str], names: Collection[str]) -> None:
        for owner in owners:
            self.file.mentions(owner, names)

    def _found(
        self, found: Iterator[tuple[str, str]], line: int, owners: list[str], *, bare: bool = False
    ) -> None:
        for name, spelt in found:
            self.file.uses += [Use(name, spelt, line, owner, bare) for owner in owners]
            self._mentioned(owners, [])


def _binds(top: ast.stmt) -> list[str]:
    """The names that a statement only binds, so that it matters where these are used; none where it does
    more."""
    if isinstance(top, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [top.name] + [AT_IMPORT] * bool(top.decorator_list)
    if isinstance(top, ast.Assign) and len(top.targets) == 1 and isinstance(top.targets[0], ast.Name):
        return [top.targets[0].id] + [AT_IMPORT] * any(isinstance(n, ast.Call) for n in ast.walk(top.value))
    return []


def _asks_for_main(top: ast.stmt) -> bool:
    return (
        isinstance(top, ast.If)
        and isinstance(top.test, ast.Compare)
        and isinstance(top.test.left, ast.Name)
        and top.test.left.id == "__name__"
        and isinstance(top.test.ops[0], ast.Eq)
    )


def decoded(source: bytes) -> str:
    """The text that Python would see, by its mark or its coding line; UTF-8 where it knows none."""
    encoding = "utf-8-sig"
    for line in source.split(b"\n", 2)[:2]:
        if (cookie := _CODING.match(line[:LONGEST_NAME])) is not None:
            encoding = cookie[1].decode("ascii")
            break
    try:
        text = source.decode(encoding, "replace")
    except (LookupError, ValueError, TypeError):
        text = source.decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def scan(
    files: Mapping[str, bytes], wanted: Collection[Wanted], only_text: Collection[str], begins: Begins
) -> list[tuple[str, str, str, int]]:
    """What `where` says of a submission. only_text: files that are known to be too much for Python's parser;
    begins: is told before each file which it is."""
    names = Names([one.name for one in wanted])
    own = {part for name in files for part in module_parts(name)}
    found = {}
    for name, source in files.items():
        begins(name)
        try:
            if name in only_text:
                raise ValueError
            found[name] = scan_tree(ast.parse(source), names, own)
        except PARSE_ERRORS:
            found[name] = scan_text(decoded(source), names)
    return where(found, wanted)
