"""A submission of our own that tries to get out. What it reaches is a hole."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

from ..course import Limits
from .calls import Interface
from .errors import CallFailed, GraderFault
from .keeper import Keeper
from .remote import RemoteStudent

SOURCE = b"""
import ctypes, os, resource, socket
libc = ctypes.CDLL(None, use_errno=True)
def can(attempt):
    try: return bool(attempt())
    except BaseException: return False
def can_write(folder):
    return can(lambda: open(folder + "/probe", "w").write("x"))
def fork():
    pid = os.fork()
    if pid == 0: os._exit(0)
    os.waitpid(pid, 0)
    return True
def udp(port):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    return s.sendto(b"x", ("127.0.0.1", port))
def owner():
    import fcntl
    fcntl.fcntl(3, fcntl.F_SETOWN, os.getppid())
    return True
def probe(canary, writable, port):
    parent = os.getppid()
    return {
        "read a file of the grader": can(lambda: open(canary).read()),
        "read /etc/passwd": can(lambda: open("/etc/passwd").read()),
        "write a file": any(map(can_write, (writable, "/tmp", "/dev/shm", "."))),
        "connect over TCP": can(lambda: socket.create_connection(("127.0.0.1", port), 1)),
        "send over UDP": can(lambda: udp(port)),
        "open a unix socket": can(lambda: socket.socket(socket.AF_UNIX)),
        "open a virtual machine socket": can(lambda: socket.socket(40)),
        "start a process": can(fork),
        "run a program": can(lambda: os.posix_spawn("/usr/bin/env", ["env", "true"], {})),
        "signal its parent": can(lambda: os.kill(parent, 0) is None),
        "have its socket signal its parent": can(owner),
        "read its parent's memory map": can(lambda: open(f"/proc/{parent}/maps").read()),
        "trace processes": libc.ptrace(0, 0, 0, 0) == 0,
        "make a user namespace": libc.unshare(0x10000000) == 0,
        "mount": libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0,
        "use io_uring": libc.syscall(425, 0, None) >= 0 or ctypes.get_errno() in (14, 22),
        "make an anonymous file": libc.syscall(319 if os.uname().machine == "x86_64" else 279, b"x", 0) >= 0,
        "see the grader's environment": any(k.startswith("KIT_") for k in os.environ),
        "use memory without limit": resource.getrlimit(resource.RLIMIT_AS)[0] < 0,
        "use the CPU without limit": resource.getrlimit(resource.RLIMIT_CPU)[0] < 0,
        "raise its limits": can(lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 1)) is None),
        "see other open files": any(can(lambda: os.fstat(fd)) for fd in range(4, 64)),
        "be root": os.getuid() == 0 and can(lambda: os.setuid(0) is None),
    }
"""


def probe(keeper: Callable[[], Keeper]) -> dict[str, bool]:
    """What was tried -> whether it worked. Raises GraderFault when the probe itself does not run."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as server:
        canary = Path(folder) / "canary"
        canary.write_text("secret", encoding="utf-8")
        os.chmod(folder, 0o777)
        os.chmod(canary, 0o666)
        server.bind(("127.0.0.1", 0))
        server.listen()
        interface = Interface({"probe": "probe.py"})
        with RemoteStudent(keeper, Limits(), {"probe.py": SOURCE}, {}, interface) as student:
            try:
                found = student.probe(str(canary), folder, server.getsockname()[1])
            except CallFailed as error:
                raise GraderFault(f"{type(error).__name__}: {error}") from None
    if type(found) is not dict or not all(type(value) is bool for value in found.values()):
        raise GraderFault("the probe gave no answer")
    return found


def reached(keeper: Callable[[], Keeper]) -> list[str]:
    """What the probe could do that it must not. Raises GraderFault."""
    return [what for what, worked in probe(keeper).items() if worked]
