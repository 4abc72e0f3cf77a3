"""A file that Python cannot load -> the same file without the statements that stop it.

All other lines keep their places, so what is said about them stays true.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .names import Names, names_of
from .statements import PARSE_ERRORS, pieces, statements_of


def mended(text: str, line: int) -> tuple[str, list[str]]:
    """(the file; the names in it that do without what was cut out).

    line: where loading the file stopped, from 1; it counts only when the file is Python at all.
    """
    lines = text.split("\n")
    if _is_python(text):
        spans = [(_first(node) - 1, node.end_lineno or node.lineno) for node in ast.parse(text).body]
        cut = [(start, end) for start, end in spans if start < line <= end]
    else:
        cut = [(start, start + part.count("\n") + 1) for start, part in pieces(text) if not _is_python(part)]
    lost: set[str] = set()
    for start, end in cut:
        lost |= set(_bound("\n".join(lines[start:end])))
        lines[start:end] = [""] * (end - start)
    left = "\n".join(lines)
    if not _is_python(left):
        return left, []
    good, _ = statements_of(left, 0)
    return left, _without([names_of(statement) for statement in good], lost)


def _without(all_names: list[Names], lost: set[str]) -> list[str]:
    """The names that are bound, and need nothing that is lost, nor what needs that, and so on."""
    there = {name for names in all_names for name in names.binds}
    lost = lost - there
    while spoilt := {n for names in all_names if names.needs & lost for n in names.binds} - lost:
        lost |= spoilt
    return sorted(there - lost)


def _bound(cut: str) -> Iterator[str]:
    """The names that it would have bound."""
    good, broken = statements_of(cut, 0)
    for statement in good:
        yield from names_of(statement).binds
    for piece in broken:
        yield from piece.defines


def _first(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])


def _is_python(text: str) -> bool:
    """Whether it compiles: `return` outside of a function is no syntax error before that."""
    try:
        compile(text, "<file>", "exec", dont_inherit=True)
    except PARSE_ERRORS:
        return False
    return True
