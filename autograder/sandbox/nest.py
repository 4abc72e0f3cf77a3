"""Run as a program of its own: makes namespaces and a small read-only file system, drops the user, starts a
program.

argv[1] is JSON: binds [[source, target], ...] (read-only), closed (folders left empty), command, environment,
uid (to become; null to stay), map_uid (in a user namespace of our own, when not root), only_mounts (mount
namespace alone), root (an existing folder to build on). Imports nothing of ours, for its source is all that
is passed along.

Exit code 125: it could not be done; the reason is on stderr.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from typing import Any, NoReturn

NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = (
    0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000,
)  # fmt: skip
RDONLY, NOSUID, NODEV, REMOUNT, BIND, REC, PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
DETACH = 2
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
MOUNT_SETATTR, AT_RECURSIVE = 442, 0x8000
FAILED = 125
libc = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None


def check(result: int, what: str) -> int:
    """Raises OSError when a call failed."""
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """mount(2). Raises OSError."""
    assert libc is not None
    args = [None if a is None else a.encode() for a in (source, target, kind, data)]
    check(libc.mount(args[0], args[1], args[2], ctypes.c_ulong(flags), args[3]), f"mount {target}")


class _MountAttr(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")]


def read_only(target: str) -> None:
    """Makes a bind mount, with all that is mounted below it, read-only."""
    assert libc is not None
    attr = _MountAttr(set=RDONLY | NOSUID | NODEV)
    size = ctypes.c_size_t(ctypes.sizeof(attr))
    if libc.syscall(MOUNT_SETATTR, -100, target.encode(), AT_RECURSIVE, ctypes.byref(attr), size) < 0:
        mount("none", target, None, BIND | REMOUNT | RDONLY | NOSUID | NODEV)


def bind(source: str, target: str) -> None:
    """Shows a file or folder at another place, read-only unless it is a device."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.exists(target):
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    mount(source, target, None, BIND | REC)
    if not source.startswith("/dev/"):
        read_only(target)


def build(config: dict[str, Any]) -> None:
    """The new root: empty but for the binds, then nothing of the old one is left."""
    assert libc is not None
    mount("none", "/", None, REC | PRIVATE)
    root = config["root"]
    mount("tmpfs", root, "tmpfs", NOSUID | NODEV, "mode=755,size=1m")
    for source, target in config["binds"]:
        bind(source, root + target)
    for folder in config["closed"]:
        mount("tmpfs", root + folder, "tmpfs", NOSUID | NODEV, "mode=755,size=64k")
    for source, target in config["inside_closed"]:
        bind(source, root + target)
    for folder in config["closed"]:
        mount("none", root + folder, None, BIND | REMOUNT | RDONLY | NOSUID | NODEV)
    os.chdir(root)
    check(libc.syscall(PIVOT_ROOT[os.uname().machine], b".", b"."), "pivot_root")
    check(libc.umount2(b".", DETACH), "umount")
    os.chdir("/")
    mount("none", "/", None, BIND | REMOUNT | RDONLY | NOSUID | NODEV)


def become(config: dict[str, Any]) -> NoReturn:
    """Drops the user and starts the program."""
    assert libc is not None
    if (uid := config["uid"]) is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    libc.prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG, after the change of user, which clears it
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    os.execve(config["command"][0], config["command"], config["environment"])


def main(config: dict[str, Any]) -> NoReturn:
    """Never returns: ends with the program's exit code, or FAILED."""
    assert libc is not None
    libc.prctl(1, signal.SIGKILL, 0, 0, 0)
    flags = NEWNS
    if not config["only_mounts"]:
        flags |= NEWCGROUP | NEWUTS | NEWIPC | NEWPID | NEWNET
    if (inner := config["map_uid"]) is not None:
        flags |= NEWUSER
    outer_uid, outer_gid = os.getuid(), os.getgid()
    check(libc.unshare(flags), "unshare")
    if inner is not None:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{inner} {outer_uid} 1"),
            ("gid_map", f"{inner} {outer_gid} 1"),
        ):  # fmt: skip
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    build(config)
    if config["only_mounts"]:
        become(config)
    pid = os.fork()  # the child is process 1 of the new PID namespace
    if pid == 0:
        become(config)
    for fd in config["close"]:
        os.close(fd)
    _, status = os.waitpid(pid, 0)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]))
    except (OSError, KeyError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        os._exit(FAILED)
