"""Imports a judge process's module once, then becomes one as often as it is asked: `python -m
autograder.batch.warm MODULE`.

Torch takes over a second to import, and its memory is shared by all that are forked from here. Nothing of a
class or of a submission ever reaches this process: it knows only how to fork. Asked over the socket that is
its stdin (one byte and four descriptors: stdin, stdout and stderr of the judge process, and the pipe on which
somebody waits for its pid and its end, one line each); ends when that socket is closed and all have ended.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import NoReturn

DESCRIPTORS = 4


def main(module: str) -> int:
    """Serves until the socket is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the batch
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # whoever watches a judge process is nobody's to wait for
    gc.disable()  # looking through what only grows would take a fifth of the time of importing it
    run: Callable[[], int | None] = importlib.import_module(module).main
    gc.freeze()  # what is here already is never looked through at all, and its pages stay shared
    gc.enable()
    with socket.socket(fileno=os.dup(0)) as asked:
        while True:
            data, fds, _, _ = socket.recv_fds(asked, 1, DESCRIPTORS)
            if not data:
                break
            if os.fork() == 0:
                asked.close()
                _watch(fds, run)
            for fd in fds:
                os.close(fd)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(-1, 0)  # until the last of them has ended: nobody else may be there to clear them away
    return 0


def _watch(fds: Sequence[int], run: Callable[[], int | None]) -> NoReturn:
    """Starts a judge process and tells how it ended. Its own parent does it: nobody else may know."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    life = fds[3]
    pid = os.fork()
    if pid == 0:
        os.setsid()
        for place, fd in enumerate(fds[:3]):
            os.dup2(fd, place)
        for fd in fds:
            os.close(fd)
        os._exit(_code(run))
    try:
        for fd in [0, 1, 2, *fds[:3]]:
            os.close(fd)
        os.write(life, b"%d\n" % pid)
        _, status = os.waitpid(pid, 0)
        os.write(life, b"%d\n" % os.waitstatus_to_exitcode(status))
    finally:
        os._exit(0)


def _code(run: Callable[[], int | None]) -> int:
    """The exit code of a whole program, and what Python would have said on stderr."""
    try:
        code: object = run()
    except SystemExit as e:
        code = e.code
    except BaseException:  # the last thing that is heard of it
        traceback.print_exc()
        code = 1
    if isinstance(code, str):
        print(code, file=sys.stderr)
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
