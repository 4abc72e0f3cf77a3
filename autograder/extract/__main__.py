"""The process that reads students' text: it limits itself, reads one job from stdin, writes one answer to
stdout.

Job: one line of JSON ("task", "memory_mb", "cpu_seconds" and more), then the files' bytes, one after another.
Said at the end: {"answer": …, "seconds": CPU seconds of this process}.

"choose"  {"sources": [{"path", "shown", "notebook", "meant", "likely", "size"}, …], "symbols", "stubs",
          "given", "own", "notebook", "notebook_first", "max_code"}; answer: {"files": {name: text},
          "verbatim": {name: [number of the source, text at its end]}, "sources", "problems", "flags",
          "cells": [[type, source, grade_id], …], "written": whether anything is, "used": numbers of sources}
"mend"    {"line", "own"} and a .py file that cannot be loaded; answer: {"text", "names"}
"fit"     {"patterns": {name: pattern}, "symbols"} and a .py file; answer: {name: [[line, its text], …]}
"scan"    {"sizes": [[name, bytes], …], "only_text": [name, …], "wanted": [[name, files, symbols], …]};
          answer: a line with the name of each file, before it is read, then
          {"found": [[what is looked for, as it is spelt, file, line], …]}
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

from .choosing import choose
from .fitting import fitting
from .mend import mended
from .reach import Wanted
from .scan import decoded, scan


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
    answer = JOBS[job["task"]](job, data)
    sys.stdout.buffer.write(json.dumps({"answer": answer, "seconds": time.process_time()}).encode())


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


def _fitting(job: dict[str, Any], data: bytes) -> dict[str, Any]:
    return fitting(decoded(data), job["symbols"], job["patterns"])


JOBS: dict[str, Callable[[dict[str, Any], bytes], dict[str, Any]]] = {
    "choose": choose,
    "fit": _fitting,
    "mend": _mended,
    "scan": _scanned,
}


if __name__ == "__main__":
    main()
