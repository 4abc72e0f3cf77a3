"""A file that Python cannot load -> the same file without the statements that stop it.

All other lines keep their places, so what is said about them stays true. Where it cannot be told what is
code and what is text (an open triple quote), nothing is cut.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .names import Names, names_of
from .statements import PARSE_ERRORS, pieces, statements_of

_DEFINITION = re.compile(r"(?:async\s+def|def|class)\s+(\w+)|@|import\b|from\b")
_QUOTES = re.compile(r"\"\"\"|'''")


def mended(text: str, line: int, own: list[str]) -> tuple[str, list[str]]:
    """(the file; the names in it that do without what was cut out). Without names nothing can be done.

    line: where loading the file stopped, from 1; it counts only when the file is Python at all.
    own: the file's exercises. Where one of them is missing for another, the reference takes its place.
    """
    lines = text.split("\n")
    at_fault: set[str] = set()
    if _is_python(text):
        spans = [(_first(node) - 1, node.end_lineno or node.lineno) for node in ast.parse(text).body]
        cut = [(start, end) for start, end in spans if start < line <= end]
    else:
        cut = []
        above: list[str] = []  # what the definition above a piece defines
        for start, piece in pieces(text):
            found = _DEFINITION.match(piece)
            if _is_python(piece):
                above = [name for name in _bound(piece) if name in own] or ([] if found else above)
                continue
            if len(_QUOTES.findall(piece)) % 2:
                return text, []
            cut.append((start, start + piece.count("\n") + 1))
            at_fault |= set(_bound(piece)) if found else set(above)
    for start, end in cut:
        lines[start:end] = [""] * (end - start)
    left = "\n".join(lines)
    if not cut or not _is_python(left):
        return left, []
    good, _ = statements_of(left, 0)
    return left, sorted(_able([names_of(statement) for statement in good], set(own)) - at_fault)


def _able(all_names: list[Names], own: set[str]) -> set[str]:
    """The names that are bound, and need no name that nothing binds, nor what needs one, and so on."""
    there = {name for names in all_names for name in names.binds}
    if any(names.star for names in all_names):  # may bind anything
        return there
    lost = {need for names in all_names for need in names.needs} - there - own
    while spoilt := {n for names in all_names if names.needs & (lost - own) for n in names.binds} - lost:
        lost |= spoilt
    return there - lost


def _bound(piece: str) -> Iterator[str]:
    """The names that it binds, or would have bound."""
    good, broken = statements_of(piece, 0)
    for statement in good:
        yield from names_of(statement).binds
    for one in broken:
        yield from one.defines


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
