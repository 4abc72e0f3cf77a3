"""A cell's text -> Python statements, whatever is between them: magics, shell lines, prose, broken code."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from itertools import pairwise

PARSE_ERRORS = (SyntaxError, ValueError, RecursionError, MemoryError)
# A cell magic whose body is still Python; below any other (%%bash, %%html, …) there is none.
_PYTHON_MAGICS = re.compile(
    r"%%(?:(?:time|timeit|capture|prun|python3?|py|px)\b|(?:write)?file\b[^\n]*\.py\b)"
)
# Possessive: a line of spaces is looked at once.
_MAGIC = re.compile(r"^([ \t]*+)(?:[%!?].*|[\w.]+\?{1,2}[ \t]*|[\w.,\[\] \t]+=[ \t]*[%!].*)$")
# At the left edge, and still part of the statement above. (A comment may stand anywhere.)
_CONTINUES = re.compile(r"(?:else|elif|except|finally|case)\b|[)\]}#]")
_DEFINES = re.compile(r"^[ \t]*(?:async[ \t]+def|def|class)[ \t]+(\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Statement:
    """One top-level statement: its text as the student wrote it, and where (cell from 0, its line from 1)."""

    cell: int
    line: int
    text: str
    node: ast.stmt


@dataclass(frozen=True)
class Broken:
    """A piece that is not Python; `defines` are the names it seems to define."""

    cell: int
    line: int
    text: str
    says: str
    defines: tuple[str, ...]


def statements_of(source: str, cell: int) -> tuple[list[Statement], list[Broken]]:
    """What can be read of one code cell."""
    first = source.lstrip("\n")
    skipped = 0
    if first.startswith("%%"):
        if not _PYTHON_MAGICS.match(first):
            return [], []
        skipped = source.count("\n") - first.count("\n") + 1
        source = first.partition("\n")[2]
    for text in (source, _without_magics(source)):
        try:
            return _parsed(text, cell, skipped), []
        except PARSE_ERRORS:
            pass
    good: list[Statement] = []
    bad: list[Broken] = []
    for line, piece in pieces(source):
        try:
            good += _parsed(piece, cell, skipped + line)
        except PARSE_ERRORS:
            try:
                good += _parsed(_without_magics(piece), cell, skipped + line)
            except PARSE_ERRORS as e:
                bad.append(_broken(e, piece, cell, skipped + line))
    return good, bad


def _parsed(text: str, cell: int, before: int) -> list[Statement]:
    lines = text.split("\n")
    found = []
    body = ast.parse(text).body
    shared = _shared_lines(body)
    for node in body:
        start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        if {node.lineno, node.end_lineno} & shared:  # a = 1; b = 2
            own = ast.get_source_segment(text, node) or ""
        else:  # whole lines, with the comments at their ends
            own = "\n".join(lines[start - 1 : node.end_lineno])
        found.append(Statement(cell, before + start, own, node))
    return found


def _shared_lines(body: list[ast.stmt]) -> set[int | None]:
    """Lines on which one statement ends and the next begins."""
    return {one.end_lineno for one, other in pairwise(body) if one.end_lineno == other.lineno}


def pieces(source: str) -> list[tuple[int, str]]:
    """Cuts at every line at the left edge, unless it goes on with what is above: (lines before, text)."""
    found: list[list[str]] = []
    starts: list[int] = []
    for i, line in enumerate(source.split("\n")):
        edge = line[:1].strip() != "" and not _CONTINUES.match(line)
        after_decorator = bool(found) and found[-1][-1].startswith("@")
        if not found or (edge and not after_decorator):
            found.append([])
            starts.append(i)
        found[-1].append(line)
    return [(start, "\n".join(piece)) for start, piece in zip(starts, found, strict=True)]


def _without_magics(piece: str) -> str:
    """Magics and shell lines do nothing; they stay as `pass`, so that lines keep their numbers."""
    return "\n".join(_MAGIC.sub(r"\1pass", line) for line in piece.split("\n"))


def _broken(error: BaseException, piece: str, cell: int, before: int) -> Broken:
    line, says, text = 1, type(error).__name__, ""
    if isinstance(error, SyntaxError):
        line, says, text = error.lineno or 1, error.msg, (error.text or "").strip()
    return Broken(cell, before + line, text[:200], says[:200], tuple(_DEFINES.findall(piece)))
