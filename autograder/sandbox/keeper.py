"""The judge's hold on a zygote: starts it, asks it for workers, and hears of their deaths."""

from __future__ import annotations

import array
import contextlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from typing import IO, Any

from .errors import GraderFault
from .launch import Way, WayFailed, bundle

START_SECONDS = 300.0  # a busy machine may take long
SPAWN_SECONDS = 120.0
CREDENTIALS = struct.Struct("3i")  # pid, uid, gid
SOCKET_BUFFER = 1 << 20
OOM_FIRST = "800"  # when memory runs out on this machine, a worker goes before anything of the user's


@dataclass(frozen=True)
class Death:
    """What the kernel says of a worker that has ended."""

    status: int
    cpu: float
    peak_kb: int


@dataclass
class Process:
    """A locked-down worker that has not seen any of the submission yet."""

    id: int
    pid: int  # as this process sees it, from the kernel
    socket: socket.socket
    output: int  # read end of what it prints
    pidfd: int | None


class Keeper:
    """One zygote."""

    def __init__(self, way: Way) -> None:
        """Starts it. Raises WayFailed."""
        self.way = way
        self._lock = threading.RLock()
        self._next = 0
        self._pids: dict[int, int] = {}
        self._refused: dict[int, str] = {}
        self._deaths: dict[int, Death] = {}
        self.gone = False
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed in close)
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        mine.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._control = mine
        try:
            self._process = way.start(theirs.fileno(), self._log)
        except (OSError, WayFailed) as error:
            mine.close()
            theirs.close()
            self._log.close()
            if isinstance(error, WayFailed):
                raise
            raise WayFailed(str(error)) from None
        try:
            self._greet(theirs)
        except BaseException:
            self.close()
            raise

    def _greet(self, theirs: socket.socket) -> None:
        """Sends configuration and source, waits for "ready"."""
        stdin = self._process.stdin
        assert stdin is not None
        try:
            with open(f"/proc/{self._process.pid}/oom_score_adj", "w", encoding="ascii") as file:
                file.write(OOM_FIRST)  # inherited by all that comes of it
        except OSError:  # a politeness to the machine, not part of the lock-down
            pass
        try:
            stdin.write(bundle(theirs.fileno(), self.way))
            stdin.close()
        except OSError:  # it has ended already; what it said comes below
            pass
        theirs.close()
        event, pid = self._receive(START_SECONDS)
        if event is None or "ready" not in event:
            raise WayFailed(self._last_words() or "the zygote did not start")
        self.pid, self.uid, self.cpu_kind = pid, event["uid"], event["cpu"]
        try:
            with open(f"/proc/{pid}/statm", encoding="ascii") as file:
                self._address = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        except OSError as error:
            raise WayFailed(f"the size of its memory cannot be read ({error.strerror})") from None

    def _last_words(self) -> str:
        """The last line it wrote to its stderr, after giving it a moment to end."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2)
        self._log.seek(0)
        lines = self._log.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else ""

    def _receive(self, timeout: float) -> tuple[dict[str, Any] | None, int]:
        """One event and the pid of its sender, by the kernel's word; (None, 0) at the end or after `timeout`
        s.
        """
        ready, _, _ = select.select([self._control], [], [], max(0.0, timeout))
        if not ready:
            return None, 0
        try:
            data, ancillary, _, _ = self._control.recvmsg(65536, socket.CMSG_SPACE(CREDENTIALS.size))
        except ConnectionResetError:
            data, ancillary = b"", []
        if not data:
            self.gone = True
            return None, 0
        pid = 0
        for level, kind, raw in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
                pid = CREDENTIALS.unpack(raw[: CREDENTIALS.size])[0]
        event: dict[str, Any] = json.loads(data)
        return event, pid

    def _hear(self, timeout: float) -> None:
        """Takes in one event, if one comes within `timeout` seconds."""
        event, pid = self._receive(timeout)
        if event is None:
            return
        if "born" in event:
            self._pids[event["born"]] = pid
        elif "refused" in event:
            self._refused[event["refused"]] = event["why"]
        elif "dead" in event:
            self._deaths[event["dead"]] = Death(event["status"], event["cpu"], event["peak_kb"])

    def spawn(self, cpu_seconds: int, memory_mb: int, processes: int) -> Process:
        """A new worker, locked down. Raises GraderFault."""
        with self._lock:
            self._next += 1
            which = self._next
            mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
            for end in (mine, theirs):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SOCKET_BUFFER)
            read, write = os.pipe2(os.O_CLOEXEC)
            address = self._address + (memory_mb << 20)
            request = {"spawn": which, "cpu": cpu_seconds, "address": address, "processes": processes}
            try:
                fds = array.array("i", [theirs.fileno(), write])
                rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)]
                self._control.sendmsg([json.dumps(request).encode()], rights)
                self._await_birth(which)
            except OSError as error:
                self.gone = True
                mine.close()
                os.close(read)
                raise GraderFault(f"the zygote is gone ({error.strerror})") from None
            except GraderFault:
                mine.close()
                os.close(read)
                raise
            finally:
                theirs.close()
                os.close(write)
            pid = self._pids.pop(which)
            return Process(which, pid, mine, read, _pidfd(pid))

    def _await_birth(self, which: int) -> None:
        deadline = time.monotonic() + SPAWN_SECONDS
        while which not in self._pids:
            if which in self._refused:
                raise GraderFault(f"a worker could not be locked down: {self._refused.pop(which)}")
            if which in self._deaths:
                raise GraderFault(f"a worker ended before it was locked down: {self._deaths.pop(which)}")
            if self.gone:
                raise GraderFault("the zygote is gone")
            if (left := deadline - time.monotonic()) <= 0:
                self.gone = True
                raise GraderFault("the zygote does not answer")
            self._hear(left)

    def kill(self, process: Process) -> None:
        """Ends a worker, at once; it cannot refuse."""
        if process.pidfd is not None:
            try:
                signal.pidfd_send_signal(process.pidfd, signal.SIGKILL)
                return
            except ProcessLookupError:
                return
            except OSError:  # not ours to signal (another user): its parent does it
                pass
        with self._lock:
            try:
                self._control.send(json.dumps({"kill": process.id}).encode())
            except OSError:
                self.gone = True

    def death_of(self, process: Process, timeout: float) -> Death | None:
        """What became of a worker; None when it is not known within `timeout` seconds."""
        deadline = time.monotonic() + timeout
        with self._lock:
            while process.id not in self._deaths and not self.gone:
                if (left := deadline - time.monotonic()) <= 0:
                    break
                self._hear(left)
            return self._deaths.pop(process.id, None)

    def close(self) -> None:
        """Ends the zygote and all of its workers."""
        self.gone = True
        self._control.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        self._log.close()


def _pidfd(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None
