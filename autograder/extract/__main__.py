"""The process that reads students' text: it limits itself, reads one job from stdin, writes one answer to
stdout.

Job: one line of JSON, then the file. A notebook: {"symbols", "stubs", "given", "max_code", "memory_mb",
"cpu_seconds"}; answer: {"files", "problems", "flags", "cells": [[type, source, grade_id], …]}.
A .py file that cannot be loaded: {"line", "own", "memory_mb", "cpu_seconds"}; answer: {"text", "names"}.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from .cells import Cell, NotANotebook, read_cells
from .mend import mended
from .modules import Extracted, extract


def limit(memory_mb: int, cpu_seconds: int) -> None:
    """No more memory and CPU time than this, no files written, no new processes. (Nothing on Windows.)"""
    try:
        import resource
    except ImportError:
        return
    for what, most in (
        (resource.RLIMIT_AS, memory_mb * 2**20),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 16),
    ):
        _, hard = resource.getrlimit(what)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


def main() -> None:
    """One job."""
    job = json.loads(sys.stdin.buffer.readline())
    limit(job["memory_mb"], job["cpu_seconds"])
    data = sys.stdin.buffer.read()
    answer = _mended(job, data) if "line" in job else _extracted(job, data)
    sys.stdout.buffer.write(json.dumps(answer).encode())


def _mended(job: dict[str, Any], data: bytes) -> dict[str, Any]:
    try:
        text, names = mended(data.decode("utf-8", "replace"), job["line"], job["own"])
    except (MemoryError, RecursionError):
        text, names = "", []
    return {"text": text, "names": names}


def _extracted(job: dict[str, Any], data: bytes) -> dict[str, Any]:
    out = Extracted()
    cells: list[Cell] = []
    try:
        cells, damage = read_cells(data, job["max_code"])
        out = extract(cells, job["symbols"], job["stubs"], job["given"])
        if damage:
            out.problem("damaged", detail=damage, cells=len(cells))
    except NotANotebook as e:
        out.problem("unreadable", detail=str(e))
    except (MemoryError, RecursionError):
        cells = []
        out = Extracted()
        out.problem("limits")
    return {**asdict(out), "cells": [[c.type, c.source, c.grade_id] for c in cells]}


if __name__ == "__main__":
    main()
