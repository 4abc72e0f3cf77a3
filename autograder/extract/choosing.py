"""A submission's files and notebooks -> the files that are graded: the job "choose" of __main__.py."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from .bindings import given_by
from .building import build
from .built import Built
from .candidates import Decision, Status, candidates_in, decide
from .modules import given_in
from .sources import Kit, Source
from .telling import undecided
from .written import FUNCTIONS, methods_to_write, plain


def choose(job: Mapping[str, Any], data: bytes) -> dict[str, Any]:
    """The answer; when memory or nesting comes to its limits, one that only says so."""
    try:
        return _chosen(job, data)
    except (MemoryError, RecursionError):
        return _answer(Built(problems=[{"id": "notebook.limits", "params": {}}]), [], [], written=False)


def kit_of(job: Mapping[str, Any]) -> Kit:
    """What the job says of the kit."""
    stubs: dict[str, str] = job["stubs"]
    methods = {}
    for text in stubs.values():
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef):
                methods[node.name] = methods_to_write(node)
    own = {
        plain(node)[0]
        for text in job["own"]
        for node in ast.parse(text).body
        if isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Assign))
    }
    given = given_by([job["given"], *map(given_in, stubs.values())])
    return Kit(job["symbols"], stubs, job["notebook"], given, methods, frozenset(own))


def _chosen(job: Mapping[str, Any], data: bytes) -> dict[str, Any]:
    kit = kit_of(job)
    sources, out = _sources(job, data, kit)
    decision = decide(sources, kit, notebook_first=job["notebook_first"])
    if decision.undecided:
        out.problems = undecided(decision)
        return _answer(out, sources, [], written=True)
    built = build(decision, sources, kit)
    used = [*(c.source for c in decision.taken.values()), *(source for source, _ in built.verbatim.values())]
    _about_notebooks(built, sources, used, decision)
    return _answer(
        built, sources, used, written=any(c.status is not Status.BROKEN for c in decision.taken.values())
    )


def _sources(job: Mapping[str, Any], data: bytes, kit: Kit) -> tuple[list[Source], Built]:
    """All of them, read as far as there is room; each text once."""
    found: list[Source] = []
    at, left = 0, job["max_code"]
    for one in job["sources"]:
        part = data[at : at + one["size"]]
        at += one["size"]
        path = tuple(one["path"])
        source = Source(path, one["shown"], one["notebook"], part, kit, one["meant"], one["likely"])
        left -= source.read(max(left, 0))
        found.append(source)
    return found, Built()


def _about_notebooks(
    out: Built, sources: Sequence[Source], used: Sequence[Source], decision: Decision
) -> None:
    """What was wrong with notebooks that were used, or that were all there is."""
    for source in sources:
        if not source.notebook:
            continue
        alone = not out.verbatim and not decision.taken
        if source.unreadable:
            if source.meant or alone:
                out.problem("notebook.unreadable", detail=source.unreadable)
        elif alone and not candidates_in(source) and len(sources) == 1:
            out.problem("notebook.no_exercise")
        if source.damage and (source in used or alone):
            out.problem("notebook.damaged", detail=source.damage, cells=len(source.cells))


def _answer(out: Built, sources: list[Source], used: Sequence[Source], *, written: bool) -> dict[str, Any]:
    number = {id(source): i for i, source in enumerate(sources)}
    cells = out.notebook.cells if out.notebook else []
    if not cells and len(sources) == 1 and sources[0].notebook:
        cells = sources[0].cells
    return {
        "files": out.files,
        "verbatim": {name: [number[id(source)], end] for name, (source, end) in out.verbatim.items()},
        "sources": out.sources,
        "problems": out.problems,
        "flags": out.flags,
        "cells": [[c.type, c.source, c.grade_id] for c in cells],
        "written": written,
        "used": sorted({number[id(source)] for source in used}),
    }
