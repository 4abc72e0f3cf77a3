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

from autograder.course import ROOT

FORKS = sys.platform.startswith("linux")  # elsewhere what torch has started does not survive a fork
_STDERR_KEPT = 4000  # bytes of the end of it


class Started(Protocol):
    """A process, its two pipes, and what it wrote to stderr."""

    stdin: IO[str]
    stdout: IO[str]
    errors: IO[bytes]

    @property
    def pid(self) -> int:
        """Its process id; 0 when it never began."""

    def wait(self, timeout: float | None = None) -> int | None:
        """Its exit code (a signal's is negative; None: nobody knows). Raises subprocess.TimeoutExpired."""

    def kill(self) -> None:
        """Ends it and the processes of its session, at once."""


class Program:
    """A program of its own."""

    def __init__(self, module: str) -> None:
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by whoever has it)
        self._process = subprocess.Popen(
            [sys.executable, "-m", module],
            cwd=ROOT,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            encoding="utf-8",
            start_new_session=True,  # Ctrl-C reaches the batch alone
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.stdin: IO[str] = self._process.stdin
        self.stdout: IO[str] = self._process.stdout

    @property
    def pid(self) -> int:
        """See Started."""
        return self._process.pid

    def wait(self, timeout: float | None = None) -> int | None:
        """See Started."""
        return self._process.wait(timeout)

    def kill(self) -> None:
        """See Started."""
        _kill_session(self.pid)
        self._process.kill()
        self._process.wait()


class Warm:
    """The process that the others are forked from. Nobody waits for it: who is asked for comes in time."""

    def __init__(self, module: str) -> None:
        mine, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "autograder.batch.warm", module],
                cwd=ROOT,
                env=_environment(),
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._socket = mine
        self.broken = False  # somebody who was asked for never came

    @property
    def alive(self) -> bool:
        """Whether there is any use in asking it."""
        return not self.broken and self._process.poll() is None

    def fork(self, fds: list[int]) -> None:
        """Asks for one judge process. Raises OSError."""
        socket.send_fds(self._socket, [b"+"], fds)

    def close(self) -> None:
        """Ends it; what it has forked lives on."""
        self._socket.close()
        self._process.kill()
        self._process.wait()


class Forked:
    """A fork of the warm process. Raises OSError when that is gone."""

    def __init__(self, warm: Warm) -> None:
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by whoever has it)
        self._warm = warm
        self._pid = 0
        self._code: int | None = None
        self._born, self._ended = threading.Event(), threading.Event()
        (read_in, write_in), (read_out, write_out), (read_life, write_life) = (os.pipe() for _ in range(3))
        self.stdin: IO[str] = os.fdopen(write_in, "w", encoding="utf-8")
        self.stdout: IO[str] = os.fdopen(read_out, encoding="utf-8")
        life = os.fdopen(read_life, encoding="ascii")
        try:
            warm.fork([read_in, write_out, self.errors.fileno(), write_life])
        except OSError:
            life.close()
            self.stdin.close()
            self.stdout.close()
            self.errors.close()
            raise
        finally:
            for fd in (read_in, write_out, write_life):
                os.close(fd)
        threading.Thread(target=self._hear, args=(life,), daemon=True).start()

    def _hear(self, life: IO[str]) -> None:
        with life:
            for line, heard in zip(life, ("_pid", "_code"), strict=False):
                setattr(self, heard, int(line))
                self._born.set()
        self._warm.broken |= not self._pid
        self._born.set()
        self._ended.set()

    @property
    def pid(self) -> int:
        """See Started. Waits for it to begin."""
        self._born.wait()
        return self._pid

    def wait(self, timeout: float | None = None) -> int | None:
        """See Started."""
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired("judge process", timeout or 0.0)
        return self._code

    def kill(self) -> None:
        """See Started. One that has not begun yet finds its stdin closed."""
        if self._born.is_set() and self._pid:
            _kill_session(self._pid)
            self._ended.wait()


def last_words(errors: IO[bytes]) -> str:
    """The last line that a process wrote to stderr; "" when it wrote none."""
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
