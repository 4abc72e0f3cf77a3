"""One process of our own with a pipe in each direction: started, watched, and ended with all it started.

On Linux it is forked from one that has imported a judge already (multiprocessing's fork server), elsewhere it is
a program of its own: there, what torch has started does not survive a fork.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from functools import cache
from multiprocessing import connection, current_process, forkserver, get_context, resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType
from typing import Literal

from autograder.assignment import KIT

Start = Literal["forkserver", "spawn"]
START: Start = "forkserver" if sys.platform.startswith("linux") else "spawn"
PRELOAD = ["autograder.batch.process"]
LAST_WORDS = 4000  # bytes of the end of what it wrote to stderr
_ONE_AT_A_TIME = threading.Lock()  # multiprocessing reads the end of a process in whichever thread asks


def warm_up() -> None:
    """Starts the process that others are forked from, and does not wait for its imports."""
    _tidy_at_exit()
    with _ONE_AT_A_TIME, _imports_this_kit():
        forkserver.set_forkserver_preload(PRELOAD)
        forkserver.ensure_running()


@cache
def _tidy_at_exit() -> None:
    atexit.register(_cool_down)


def _cool_down() -> None:
    """Ends what multiprocessing leaves to the system: in many containers PID 1 clears nobody away."""
    for helper in (forkserver._forkserver, resource_tracker._resource_tracker):
        stop = getattr(helper, "_stop", None)  # not part of what is promised of them
        if stop is not None:
            with contextlib.suppress(OSError, TypeError):  # TypeError: there is none
                stop()


class Child:
    """A process that runs `main(messages in, messages out)` of a module. Raises OSError where it does not begin.

    One thread reads (`reply`), any thread may send and end.
    """

    def __init__(self, module: str, start: Start = START) -> None:
        if start == "forkserver":
            warm_up()
        context = get_context("forkserver") if start == "forkserver" else get_context("spawn")
        _tidy_at_exit()
        errors, name = tempfile.mkstemp(prefix="judge-")
        os.close(errors)
        self._errors = Path(name)
        try:
            theirs_in, self._out = context.Pipe(duplex=False)
            self._in, theirs_out = context.Pipe(duplex=False)
            self._process = context.Process(
                target=_enter, args=(module, theirs_in, theirs_out, name), daemon=True
            )
            with _ONE_AT_A_TIME, _imports_this_kit(), _may_have_children():
                self._process.start()
        except (OSError, EOFError) as e:  # EOFError: the process that others are forked from has died
            self._errors.unlink(missing_ok=True)
            raise OSError(f"a judge process could not be started: {e}") from e
        theirs_in.close()
        theirs_out.close()

    def send(self, message: bytes) -> None:
        """Raises OSError when it has ended."""
        self._out.send_bytes(message)

    def reply(self) -> bytes | None:
        """Its next message, waiting for it; None when it has ended, or says no more."""
        with contextlib.suppress(EOFError, OSError):
            # What it started may hold its pipe open, so its end is waited for as well.
            if self._in in connection.wait([self._in, self._process.sentinel]) or self._in.poll(0.5):
                return self._in.recv_bytes()
        return None

    def ended(self, seconds: float) -> bool:
        """Whether it has ended, or does so within these seconds."""
        return bool(connection.wait([self._process.sentinel], seconds))

    def how_it_ended(self) -> str:
        """Its exit code or signal, and the last line that it wrote to stderr."""
        code = None
        if self.ended(5):
            with _ONE_AT_A_TIME:
                code = self._process.exitcode
        last = _last_line(self._errors)
        how = "how is not known" if code is None else f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"({how}){': ' + last if last else ''}"

    def end(self, patience: float) -> None:
        """Ends it, in order if it can within `patience` seconds, and all that it started."""
        self._out.close()
        self.ended(patience)
        if hasattr(os, "killpg") and self._process.pid is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self.ended(5)
        self._errors.unlink(missing_ok=True)


@contextlib.contextmanager
def _imports_this_kit() -> Iterator[None]:
    """multiprocessing starts `python -c …`, which would import from the folder that somebody stands in: a
    student's json.py, say. And the kit is the one that asks, not another one that is installed; the program that
    runs here, which a new process would import once more, has no part in it."""
    path = os.pathsep.join(filter(None, (str(KIT), os.environ.get("PYTHONPATH"))))
    wanted = {"PYTHONSAFEPATH": "1", "PYTHONPATH": path}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    program, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _may_have_children() -> Iterator[None]:
    """A Dask worker is a daemon, which multiprocessing lets have no children, as they might be left behind. Ours
    end when their pipe does."""
    this = current_process()
    was, this.daemon = this.daemon, False
    try:
        yield
    finally:
        this.daemon = was


def _enter(module: str, messages: Connection, replies: Connection, errors: str) -> None:
    """In the new process: a session of its own, so that Ctrl-C reaches the batch alone; prints go to stderr."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setsid"):
        os.setsid()
    file = os.open(errors, os.O_WRONLY | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.chdir(KIT)
    importlib.import_module(module).main(messages, replies)


def _last_line(errors: Path) -> str:
    with contextlib.suppress(OSError), errors.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - LAST_WORDS))
        lines = file.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""
    return ""
