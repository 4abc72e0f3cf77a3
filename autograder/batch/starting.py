"""How a judge process comes into the world: a program of its own, or forked from a warm one (warm.py)."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from typing import IO, Protocol

from autograder.assignment import KIT

FORKS = sys.platform.startswith("linux")  # elsewhere what torch has started does not survive a fork
LEAVING_SECONDS = 5.0
_STDERR_KEPT = 4000  # bytes of the end of it


class Started(Protocol):
    """A process and its two pipes."""

    stdin: IO[str]
    stdout: IO[str]

    def wait(self, timeout: float | None = None) -> int | None:
        """Its exit code (a signal's is negative; None: nobody knows). Raises subprocess.TimeoutExpired."""

    def last_words(self) -> str:
        """The last line that it wrote to stderr; "" when it wrote none."""

    def kill(self) -> None:
        """Ends it and the processes of its session, at once. The last thing to be asked of it."""


class Program:
    """A program of its own."""

    def __init__(self, module: str) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in kill)
        self._process = subprocess.Popen(
            [sys.executable, "-m", module],
            cwd=KIT,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C reaches the batch alone
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.stdin: IO[str] = self._process.stdin
        self.stdout: IO[str] = self._process.stdout

    def wait(self, timeout: float | None = None) -> int | None:
        """See Started."""
        return self._process.wait(timeout)

    def last_words(self) -> str:
        """See Started."""
        return _last_line(self._errors)

    def kill(self) -> None:
        """See Started."""
        _kill_session(self._process.pid)
        self._process.kill()
        self._process.wait()
        self._errors.close()


class Warm:
    """The process that the others are forked from. Nobody waits for it: who is asked for comes in time."""

    def __init__(self, module: str) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in close)
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "autograder.batch.warm", module],
                cwd=KIT,
                env=_environment(),
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                start_new_session=True,
            )
        self.kit: str | None = None  # hash of the code that it has imported; None: of whatever is there
        self.in_use = False  # somebody has begun
        self.broken = False  # somebody who was asked for never came

    @property
    def alive(self) -> bool:
        """Whether there is any use in asking it."""
        return not self.broken and self._process.poll() is None

    def fork(self, fds: list[int]) -> None:
        """Asks for one judge process. Raises OSError."""
        socket.send_fds(self._socket, [b"+"], fds)

    def last_words(self) -> str:
        """The last line that it wrote to stderr."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2)  # it may be at it
        return _last_line(self._errors)

    def no_more(self) -> None:
        """Nobody begins from now on."""
        self._socket.close()
        if not self.in_use:  # in the middle of its imports
            self._process.kill()

    def close(self) -> None:
        """Ends it. All that it has forked should have ended before: it clears them away."""
        self.no_more()
        try:
            self._process.wait(LEAVING_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()


class Forked:
    """A fork of the warm process. Raises OSError when that is gone, or there are too many open files."""

    def __init__(self, warm: Warm) -> None:
        self._warm = warm
        self._pid = 0  # until it has begun
        self._code: int | None = None
        self._ended = threading.Event()
        fds: list[int] = []
        try:
            for _ in range(3):
                fds += os.pipe()  # read, write: of its stdin, its stdout, and of what is heard of its life
            self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in kill)
            warm.fork([fds[0], fds[3], self._errors.fileno(), fds[5]])
        except OSError:
            for fd in fds:
                os.close(fd)
            raise
        for fd in (fds[0], fds[3], fds[5]):
            os.close(fd)
        self.stdin: IO[str] = os.fdopen(fds[1], "w", encoding="utf-8")
        self.stdout: IO[str] = os.fdopen(fds[2], encoding="utf-8")
        threading.Thread(target=self._hear, args=(os.fdopen(fds[4], encoding="ascii"),), daemon=True).start()

    def _hear(self, life: IO[str]) -> None:
        with life:
            if pid := life.readline():
                self._pid = int(pid)
                self._warm.in_use = True
            if code := life.readline():
                self._code = int(code)
        self._warm.broken |= not self._pid
        self._ended.set()

    def wait(self, timeout: float | None = None) -> int | None:
        """See Started."""
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired("judge process", timeout or 0.0)
        return self._code

    def last_words(self) -> str:
        """See Started. Of one that never began: what the warm process has to say about it."""
        return _last_line(self._errors) or ("" if self._pid else self._warm.last_words())

    def kill(self) -> None:
        """See Started. One that has not begun yet finds its stdin closed."""
        if self._pid:
            _kill_session(self._pid)
            self._ended.wait()
        self._errors.close()


def _last_line(errors: IO[bytes]) -> str:
    with contextlib.suppress(OSError, ValueError):
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - _STDERR_KEPT))
        lines = errors.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""
    return ""


def _environment() -> dict[str, str]:
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    return os.environ | threads | {"TOKENIZERS_PARALLELISM": "false", "PYTHONUTF8": "1"}


def _kill_session(pid: int) -> None:
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
