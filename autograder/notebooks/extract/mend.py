"""A file that Python cannot load -> the same file without the statements that stop it.

All other lines keep their places, so what is said about them stays true.
"""

from __future__ import annotations

import ast

from .names import names_of
from .statements import PARSE_ERRORS, pieces, statements_of


def mended(text: str, line: int) -> tuple[str, list[str]]:
    """(the file, the names that it still binds). line: where it stopped, from 1, if it is Python at all."""
    lines = text.split("\n")
    if _is_python(text):
        spans = [(_first(node) - 1, node.end_lineno or node.lineno) for node in ast.parse(text).body]
        cut = [(start, end) for start, end in spans if start < line <= end]
    else:
        cut = [(start, start + part.count("\n") + 1) for start, part in pieces(text) if not _is_python(part)]
    for start, end in cut:
        lines[start:end] = [""] * (end - start)
    left = "\n".join(lines)
    if not _is_python(left):
        return left, []
    good, _ = statements_of(left, 0)
    return left, sorted({name for statement in good for name in names_of(statement).binds})


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
