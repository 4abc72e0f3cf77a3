"""A process that has torch and pytest loaded and forks a child for each run: saves two seconds a run.

Reads a line of JSON {"args", "cwd", "env", "encoding", "out"}, answers with the exit code.
"""

from __future__ import annotations

import io
import json
import os
import sys

import pytest
import torch  # noqa: F401


def child(order: dict[str, object]) -> None:
    """Becomes what `python -m pytest ARGS` would be in that folder, with that environment and console."""
    out = os.open(str(order["out"]), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for fd in (1, 2):
        os.dup2(out, fd)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.environ.clear()
    os.environ.update(order["env"])  # type: ignore[call-overload]
    os.chdir(str(order["cwd"]))  # this process is this run alone
    encoding = str(order["encoding"])
    sys.stdout = io.TextIOWrapper(open(1, "wb", closefd=False), encoding=encoding, line_buffering=True)  # noqa: SIM115
    sys.stderr = io.TextIOWrapper(open(2, "wb", closefd=False), encoding=encoding, line_buffering=True)  # noqa: SIM115
    sys.path.insert(0, str(order["cwd"]))
    try:
        code = int(pytest.main(order["args"]))  # type: ignore[arg-type]
    except SystemExit as e:
        code = e.code if isinstance(e.code, int) else 1
        if isinstance(e.code, str):  # as Python does
            print(e.code, file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        child(json.loads(line))
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
