"""Layers put on a freshly forked worker. Each one holds or raises OSError: nothing is skipped in silence."""

from __future__ import annotations

import ctypes
import errno
import os
import signal

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 38, 47
SECCOMP_MODE_FILTER, CLEAR_ALL = 2, 4
CAPABILITY_VERSION_3 = 0x20080522
STACK = 64 << 20  # bytes

libc = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None


def prctl(option: int, *args: int) -> int:
    """prctl(2). Raises OSError."""
    assert libc is not None
    padded = [*args, 0, 0, 0, 0][:4]
    result = int(libc.prctl(option, *(ctypes.c_ulong(a) for a in padded)))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"prctl {option}: {os.strerror(code)}")
    return result


def no_new_privs() -> None:
    """No program started from here gains rights, set-uid or not."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def die_with_parent() -> None:
    """Killed when the parent ends."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def undumpable() -> None:
    """Closes /proc/<pid>/mem and the like to other processes of the same user; no core files."""
    prctl(PR_SET_DUMPABLE, 0)


class _CapHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _CapData(ctypes.Structure):
    _fields_ = [
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    ]


def drop_capabilities() -> None:
    """Gives up every capability, also for programs started later. Raises OSError."""
    assert libc is not None
    for capability in range(64):  # EPERM: not ours to drop, and without it in the permitted set it is no use
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0 and ctypes.get_errno() == errno.EINVAL:
            break  # past the last one
    libc.prctl(PR_CAP_AMBIENT, CLEAR_ALL, 0, 0, 0)
    header, data = _CapHeader(CAPABILITY_VERSION_3, 0), (_CapData * 2)()
    if libc.capset(ctypes.byref(header), data) < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"capset: {os.strerror(code)}")


def limit(cpu_seconds: int, address_bytes: int | None, processes: int) -> None:
    """Resource limits of a worker, hard and soft alike. Raises OSError or ValueError.

    cpu_seconds is a backstop behind the judge's own clock; address_bytes counts all mapped memory.
    """
    import resource

    both = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: 32,
        resource.RLIMIT_NPROC: processes,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    if address_bytes is not None:
        both[resource.RLIMIT_AS] = address_bytes
    for which, value in both.items():
        hard = resource.getrlimit(which)[1]
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        resource.setrlimit(which, (value, value))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    stack = STACK if hard == resource.RLIM_INFINITY else min(STACK, hard)
    resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def seccomp(filter_bytes: bytes) -> None:
    """Loads a filter compiled by the judge (see seccomp.py). Raises OSError."""
    buffer = ctypes.create_string_buffer(filter_bytes, len(filter_bytes))
    program = _Program(len(filter_bytes) // 8, ctypes.addressof(buffer))
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(program))


def close_from(lowest: int) -> None:
    """Closes every file descriptor from `lowest` on."""
    assert libc is not None
    if not hasattr(libc, "close_range") or libc.close_range(lowest, 0xFFFFFFFF, 0) < 0:
        os.closerange(lowest, os.sysconf("SC_OPEN_MAX"))
