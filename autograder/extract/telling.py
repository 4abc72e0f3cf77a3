"""Where each exercise was taken from, and what is to be told of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .built import Built
from .candidates import Candidate, Decision
from .shape import shape_in
from .sources import Kit, Source

SHOWN = 6  # names of a long list that a person gets to see


def tell(out: Built, decision: Decision, kit: Kit) -> None:
    """Fills `sources`, and flags what is not where it is expected."""
    unexpected: dict[Source, list[str]] = {}
    said: dict[tuple[str, str], list[str]] = {}
    for symbol, c in decision.taken.items():
        others = decision.others.get(symbol, [])
        shown = list(dict.fromkeys(o.source.shown for o in others))
        in_place = decision.expected(c.source, kit.symbols[symbol])
        out.sources.append(
            {
                "symbol": symbol,
                "file": c.source.shown,
                "cell": c.cell,
                "expected": in_place and _own_cell(c),
                "others": shown,
                "shape": shape_in(c.known.statement.node, symbol, kit) if c.known else "",
            }
        )
        if not in_place:
            unexpected.setdefault(c.source, []).append(symbol)
        if others:
            said.setdefault((c.source.shown, listed(shown)), []).append(symbol)
        _tell_of_empty_one_below(out, c)
    whole = {id(source): file for file, (source, _) in out.verbatim.items()}
    for source, symbols in unexpected.items():
        if source.notebook:
            out.flag("read_as", found=source.shown, file=kit.notebook)
        elif id(source) not in whole:
            out.flag("taken_from", exercises=", ".join(symbols), file=source.shown)
    for (used, names), symbols in said.items():
        out.flag("also_written", exercises=", ".join(symbols), used=used, others=names)


def _tell_of_empty_one_below(out: Built, c: Candidate) -> None:
    """Python would take the last definition of a file, which here has nothing written in it."""
    if c.known is None or c.source.notebook:
        return
    last = c.source.all_of.binding(c.source.all_of.student, c.symbol)[-1]
    if last.place > c.known.place and c.source.written(last, c.symbol) is False:
        out.flag("empty_below", exercise=c.symbol, file=c.source.shown, line=last.statement.line)


def _own_cell(c: Candidate) -> bool:
    """Whether it stands in its own cell, of a notebook's."""
    ids = c.source.grade_ids
    return c.cell is None or ids[c.cell - 1] == c.symbol or c.symbol not in ids


def undecided(decision: Decision) -> list[dict[str, Any]]:
    """Why nothing is graded: a problem for every set of places between which nobody but a person decides."""
    said: dict[str, list[str]] = {}
    for symbol, found in decision.undecided.items():
        said.setdefault(listed(c.source.shown for c in found), []).append(symbol)
    return [
        {"id": "written.several", "params": {"exercises": ", ".join(symbols), "found": names}}
        for names, symbols in said.items()
    ]


def listed(shown: Iterable[str]) -> str:
    """Names, each once, of which a person gets to see the first."""
    names = list(dict.fromkeys(shown))
    return ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
