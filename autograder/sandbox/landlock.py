"""Landlock by its three system calls: which files a worker may read. Built once in the zygote, put on in a
worker.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Sequence

CREATE, ADD, RESTRICT = 444, 445, 446  # the same numbers on every architecture
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
ALL_FS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
NET_TCP = 3  # bind, connect; since version 4
SCOPE_ALL = 3  # abstract unix sockets, signals; since version 6

libc = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None


class _Attr(ctypes.Structure):
    _fields_ = [("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("access", ctypes.c_uint64), ("fd", ctypes.c_int32)]


def _call(*args: object) -> int:
    assert libc is not None
    result = int(libc.syscall(*args))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"landlock: {os.strerror(code)}")
    return result


def version() -> int:
    """The kernel's Landlock version, 0 for none."""
    if libc is None:
        return 0
    try:
        return _call(CREATE, None, ctypes.c_size_t(0), 1)
    except OSError as error:
        if error.errno in (errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM):
            return 0
        raise


def ruleset(readable: Sequence[str], listable: Sequence[str]) -> int:
    """A ruleset's fd: files in or at `readable` may be read, folders in `listable` be listed, nothing else.

    Raises OSError where the kernel has no Landlock.
    """
    abi = version()
    if abi < 1:
        raise OSError(errno.ENOSYS, "this kernel has no Landlock")
    attr = _Attr(ALL_FS[min(abi, 5)], NET_TCP if abi >= 4 else 0, SCOPE_ALL if abi >= 6 else 0)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    fd = _call(CREATE, ctypes.byref(attr), ctypes.c_size_t(size), 0)
    for path in listable:
        _allow(fd, path, READ_DIR)
    for path in readable:
        _allow(fd, path, READ_FILE | READ_DIR | EXECUTE if os.path.isdir(path) else READ_FILE)
    return fd


def _allow(ruleset_fd: int, path: str, access: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # a file that is not there, or closed to us, needs no permission
        return
    try:
        _call(ADD, ruleset_fd, 1, ctypes.byref(_Beneath(access, fd)), 0)
    finally:
        os.close(fd)


def restrict(ruleset_fd: int) -> None:
    """Puts the ruleset on this process for good. Needs no_new_privs. Raises OSError."""
    _call(RESTRICT, ruleset_fd, 0)
