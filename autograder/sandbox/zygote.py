"""A warm process that imports torch once, holds no secret, and forks locked-down workers on request.

Requests on the control socket (JSON packets): {"spawn": id, "cpu", "address", "processes"} with two file
descriptors (the worker's socket, the pipe for what it prints), {"kill": id}.
Events back: {"ready": …}, {"born": id} sent by the worker itself once it is locked down (so that the kernel
stamps its true pid on the packet), {"refused": id, "why"}, {"dead": id, "status", "cpu", "peak_kb"}.
Closing the control socket ends the zygote and all of its workers.
"""

from __future__ import annotations

import array
import base64
import contextlib
import json
import os
import select
import signal
import socket
import sys
from dataclasses import dataclass
from typing import Any, NoReturn

from . import landlock, lockdown, worker
from .loader import Gate
from .standins import StandIns
from .warmup import warm_up

REFUSED = 97
CONTROL, RULES = 4, 5  # file descriptors in a new worker, until it is locked down


@dataclass(frozen=True)
class Layers:
    """What is put on every worker."""

    rules: int | None  # Landlock ruleset
    seccomp: bytes | None
    locked: bool  # capabilities, no_new_privs, undumpable, rlimits


def main(config: dict[str, Any]) -> NoReturn:
    """config: control (fd), site (folders of packages), allowed (packages), readable and listable (or None),
    seccomp, locked.
    """
    control = socket.socket(fileno=config["control"])
    sys.path += config["site"]
    Gate(config["allowed"]).install()
    warm_up()
    StandIns().install()
    os.environ.clear()
    # Importing torch's compiler makes the last of these: it is there.
    os.environ.update(PATH="/usr/bin", LANG="C.UTF-8", HOME="/nonexistent", TORCHINDUCTOR_CACHE_DIR="/")
    rules = None
    if config["readable"] is not None:
        rules = landlock.ruleset(config["readable"], config["listable"])
    bpf = base64.b64decode(config["seccomp"]) if config["seccomp"] else None
    if config["locked"]:
        lockdown.drop_capabilities()
        lockdown.no_new_privs()
        lockdown.undumpable()
    Zygote(control, Layers(rules, bpf, config["locked"])).run()


class Zygote:
    """The loop that forks and reaps."""

    def __init__(self, control: socket.socket, layers: Layers) -> None:
        self._control, self._layers = control, layers
        self._alive: dict[int, int] = {}  # pid -> id
        self._wake, write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        signal.signal(signal.SIGCHLD, _nothing)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)

    def run(self) -> NoReturn:
        """Serves until the judge hangs up."""
        import torch

        self._send({"ready": os.getpid(), "uid": os.getuid(), "cpu": torch.backends.cpu.get_cpu_capability()})
        while True:
            ready, _, _ = select.select([self._control.fileno(), self._wake], [], [])
            if self._wake in ready:
                self._drain()
            self._reap()
            if self._control.fileno() in ready and not self._serve():
                break
        for pid in self._alive:
            os.kill(pid, signal.SIGKILL)
        os._exit(0)

    def _drain(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake, 4096)

    def _send(self, event: dict[str, Any]) -> None:
        self._control.send(json.dumps(event).encode())

    def _reap(self) -> None:
        while self._alive:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if pid == 0:
                return
            if (which := self._alive.pop(pid, None)) is not None:
                cpu = usage.ru_utime + usage.ru_stime
                self._send({"dead": which, "status": status, "cpu": cpu, "peak_kb": usage.ru_maxrss})

    def _serve(self) -> bool:
        """One request; False when there will be no more."""
        data, ancillary, _, _ = self._control.recvmsg(65536, socket.CMSG_SPACE(64))
        if not data:
            return False
        fds = array.array("i")
        for level, kind, raw in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                fds.frombytes(raw[: len(raw) - len(raw) % fds.itemsize])
        request = json.loads(data)
        if "spawn" in request:
            self._spawn(request, list(fds))
        elif "kill" in request:
            for pid, which in self._alive.items():
                if which == request["kill"]:
                    os.kill(pid, signal.SIGKILL)
        return True

    def _spawn(self, request: dict[str, Any], fds: list[int]) -> None:
        try:
            pid = os.fork()
        except OSError as error:
            self._send({"refused": request["spawn"], "why": f"fork: {error.strerror}"})
            pid = -1
        if pid == 0:
            try:
                self._become_worker(request, fds)
            finally:
                os._exit(REFUSED)
        for fd in fds:
            os.close(fd)
        if pid > 0:
            self._alive[pid] = request["spawn"]

    def _become_worker(self, request: dict[str, Any], fds: list[int]) -> NoReturn:
        """In the child: file descriptors, lock-down, and then the submission. Never returns."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _arrange(fds, self._control.detach(), self._layers.rules)
        sys.stdin = os.fdopen(0, closefd=False)  # at its end: input() says so
        which = request["spawn"]
        try:
            lock(self._layers, request)
        except (OSError, ValueError) as error:
            os.write(CONTROL, json.dumps({"refused": which, "why": str(error)}).encode())
            os._exit(REFUSED)
        os.write(CONTROL, json.dumps({"born": which}).encode())
        os.close(CONTROL)
        try:
            worker.serve()
        finally:
            os._exit(REFUSED)


def _nothing(*_: object) -> None:
    """SIGCHLD needs a handler, or it would not wake the loop."""


def _arrange(fds: list[int], control: int, rules: int | None) -> None:
    """0 nothing, 1 and 2 the pipe, 3 the socket, 4 control, 5 the Landlock rules; everything else closed."""
    null = os.open("/dev/null", os.O_RDONLY)
    wanted = [null, fds[1], fds[1], fds[0], control] + ([] if rules is None else [rules])
    high = [os.dup2(fd, 100 + i, inheritable=False) for i, fd in enumerate(wanted)]
    for target, fd in enumerate(high):
        os.dup2(fd, target, inheritable=False)
    lockdown.close_from(len(wanted))


def lock(layers: Layers, request: dict[str, Any]) -> None:
    """Puts all layers on this process. Raises OSError or ValueError where one does not hold."""
    lockdown.die_with_parent()
    os.setsid()
    lockdown.limit(request["cpu"], request["address"], request["processes"])
    if not layers.locked:
        return
    lockdown.no_new_privs()
    lockdown.drop_capabilities()
    if layers.rules is not None:
        landlock.restrict(RULES)
        os.close(RULES)
    lockdown.undumpable()
    if layers.seccomp is not None:
        lockdown.seccomp(layers.seccomp)
