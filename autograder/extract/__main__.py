"""The process that reads students' text: it limits itself, reads one job from stdin, writes one answer to
stdout.

Job: one line of JSON, then the file. A notebook: {"symbols", "stubs", "given", "max_code", "memory_mb",
"cpu_seconds"}; answer: {"files", "problems", "flags", "cells": [[type, source, grade_id], …]}.
A .py file that cannot be loaded: {"line", "own", "memory_mb", "cpu_seconds"}; answer: {"text", "names"}.
All files of a submission, one after another: {"sizes": [[name, bytes], …], "only_text": [name, …],
"wanted": [[name, files, symbols], …], "memory_mb", "cpu_seconds"}; answer: a line with the name of each file,
before it is read, then {"found": [[what is looked for, as it is spelt, file, line], …]}.
"""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import asdict
from typing import Any

from .cells import Cell, NotANotebook, read_cells
from .mend import mended
from .modules import Extracted, extract
from .scan import Wanted, scan


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
    warnings.simplefilter("ignore")  # Python's about the student's code: 65,000 of them may be
    if "sizes" in job:
        answer = _scanned(job, data)
    else:
        answer = _mended(job, data) if "line" in job else _extracted(job, data)
    sys.stdout.buffer.write(json.dumps(answer).encode())


def _mended(job: dict[str, Any], data: bytes) -> dict[str, Any]:
    try:
        text, names = mended(data.decode("utf-8", "replace"), job["line"], job["own"])
    except (MemoryError, RecursionError):
        text, names = "", []
    return {"text": text, "names": names}


def _scanned(job: dict[str, Any], data: bytes) -> dict[str, Any]:
    files, at = {}, 0
    for name, size in job["sizes"]:
        files[name] = data[at : at + size]
        at += size
    wanted = [Wanted(name, tuple(files), tuple(symbols)) for name, files, symbols in job["wanted"]]

    def begins(name: str) -> None:
        sys.stdout.buffer.write(json.dumps(name).encode() + b"\n")
        sys.stdout.buffer.flush()

    return {"found": scan(files, wanted, job["only_text"], begins)}


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
