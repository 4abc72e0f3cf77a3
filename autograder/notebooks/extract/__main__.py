"""The process that reads a notebook: it limits itself, reads one job from stdin, writes one answer to stdout.

Job: one line of JSON {"symbols", "stubs", "given", "max_code", "memory_mb", "cpu_seconds"}, then the file.
Answer: JSON {"files", "problems", "flags", "cells": [[type, source, grade_id], …]}.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from .cells import Cell, NotANotebook, read_cells
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
    out = Extracted()
    cells: list[Cell] = []
    try:
        cells, damage = read_cells(sys.stdin.buffer.read(), job["max_code"])
        out = extract(cells, job["symbols"], job["stubs"], job["given"])
        if damage:
            out.problem("damaged", detail=damage, cells=len(cells))
    except NotANotebook as e:
        out.problem("unreadable", detail=str(e))
    except (MemoryError, RecursionError):
        cells = []
        out = Extracted()
        out.problem("limits")
    answer = {**asdict(out), "cells": [[c.type, c.source, c.grade_id] for c in cells]}
    sys.stdout.buffer.write(json.dumps(answer).encode())


if __name__ == "__main__":
    main()
