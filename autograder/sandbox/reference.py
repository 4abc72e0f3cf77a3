"""The reference in the place of a student's earlier exercise, and no more of it than that.

A replacement is compiled code of one symbol of solutions/ with what it needs, in one flat piece: no source
text, no docstrings, no other exercise's answer.
"""

from __future__ import annotations

import ast
import marshal
from collections.abc import Collection
from functools import cache

from ..assignment import Assignment
from .trusted import package_names

FILENAME = "<reference>"


def reference_for(symbols: Collection[str], assignment: Assignment) -> dict[str, bytes]:
    """Symbol -> its replacement, for `Sandbox.student(replace=…)`.

    Raises KeyError for a symbol that no exercise has, or that its solution does not define.
    """
    return {symbol: _compiled(assignment, symbol) for symbol in symbols}


def stubs_for(symbols: Collection[str], assignment: Assignment) -> dict[str, bytes]:
    """Symbol -> what can be imported in its place, and raises when it is used (see `reference_for`).

    Raises KeyError for a symbol that no exercise has.
    """
    return {s: _stub(s, _definitions(assignment, assignment.symbols[s]).get(s)) for s in symbols}


def _stub(symbol: str, right: ast.stmt | None) -> bytes:
    refuses = "(*args, **kwargs):\n  raise NotImplementedError"
    source = f"def {symbol}{refuses}"
    if isinstance(right, ast.ClassDef):
        source = f"class {symbol}:\n def __init__{refuses}"
    return marshal.dumps(compile(source, FILENAME, "exec", dont_inherit=True, optimize=2))


def reference_files(assignment: Assignment) -> dict[str, bytes]:
    """The solutions as a submission's files, for a worker that runs nothing but them."""
    exercises, solutions = package_names(assignment)
    return {
        name: text.replace(f"from {solutions}.", f"from {exercises}.").encode()
        for name, text in sorted(assignment.solutions.items())
    }


@cache
def _compiled(assignment: Assignment, symbol: str) -> bytes:
    piece = _Piece(assignment)
    piece.add(assignment.symbols[symbol], symbol)
    module = ast.Module(body=piece.body, type_ignores=[])
    return marshal.dumps(
        compile(ast.fix_missing_locations(module), FILENAME, "exec", dont_inherit=True, optimize=2)
    )


class _Piece:
    """Gathers one symbol and, before it, everything it needs, across the files of the solutions."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._package = f"{package_names(assignment)[1]}."
        self.body: list[ast.stmt] = []
        self._done: dict[str, tuple[str, str]] = {}  # name in the flat piece -> (file, name there)

    def add(self, file: str, name: str) -> None:
        """Adds what defines `name` in a file. Raises KeyError, or ValueError when two files clash over a
        name.
        """
        statement = _definitions(self._assignment, file)[name]
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith(self._package):
            alias = next(a for a in statement.names if (a.asname or a.name) == name)
            if alias.asname not in (None, alias.name):
                raise ValueError(f"{self._package}{file}: import {alias.name} under its own name")
            assert statement.module is not None
            self.add(statement.module.removeprefix(self._package) + ".py", name)
            return
        alone = _only(statement, name)  # of an import of several names, just this one
        if name in self._done:
            other, text = self._done[name]
            if ast.unparse(alone) != text:
                raise ValueError(f"the solutions: {name} means two things, in {file} and {other}")
            return
        self._done[name] = (file, ast.unparse(alone))
        for used in sorted(_names(statement) & _definitions(self._assignment, file).keys() - {name}):
            self.add(file, used)
        self.body.append(alone)


def _only(statement: ast.stmt, name: str) -> ast.stmt:
    """Of an import of several names, the one."""
    if isinstance(statement, ast.ImportFrom):
        names = [a for a in statement.names if (a.asname or a.name) == name]
        return ast.ImportFrom(statement.module, names, statement.level)
    return statement


def _names(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


@cache
def _definitions(assignment: Assignment, file: str) -> dict[str, ast.stmt]:
    """Top-level name -> the statement that defines it."""
    out: dict[str, ast.stmt] = {}
    for statement in ast.parse(assignment.solutions[file]).body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            out[statement.name] = statement
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            for alias in statement.names:
                out[alias.asname or alias.name.partition(".")[0]] = statement
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    out[target.id] = statement
    return out
