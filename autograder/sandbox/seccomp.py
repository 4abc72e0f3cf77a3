"""The system calls a worker may make: a list of what is allowed, compiled here in the judge; all else is an
error.

Not allowed, among others: any socket, starting programs or processes, signals to anyone, ptrace, other
processes' memory, namespaces, mounts, io_uring, memfd, keys, timers with signals, changing limits or
priorities.
"""

from __future__ import annotations

import errno
import tempfile

ALWAYS = """
    read write readv writev pread64 close fstat lseek mmap mprotect munmap brk mremap madvise
    rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack futex sched_yield sched_getaffinity getpid
    getppid gettid getuid geteuid getgid getegid getpgrp clock_gettime clock_getres clock_nanosleep
    nanosleep gettimeofday time exit exit_group set_robust_list get_robust_list rseq getrandom poll
    ppoll select pselect6 epoll_create1 epoll_ctl epoll_wait epoll_pwait dup pipe2 eventfd2 uname
    getrusage times sysinfo membarrier restart_syscall arch_prctl set_tid_address getcwd getcpu
    getgroups getpriority
"""
READING = """
    stat lstat newfstatat statx access faccessat faccessat2 getdents64 readlink readlinkat statfs
    fstatfs
"""
CLONE_THREAD = 0x10000
WRITING = 0o3 | 0o100 | 0o1000 | 0o20000000  # not O_RDONLY, O_CREAT, O_TRUNC, O_TMPFILE (without O_DIRECTORY)
PR_SET_NAME, PR_SET_VMA, PR_GET_SECCOMP = 15, 0x53564D41, 21
# F_SETOWN, F_SETSIG and F_SETOWN_EX are left out: with them a file descriptor can send SIGKILL to the zygote.
FCNTL_COMMANDS = (0, 1, 2, 3, 4, 1030)  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC


class SeccompMissing(Exception):
    """The filter cannot be compiled here; the text says what to install."""


def compile_filter(files: bool, threads: bool) -> bytes:
    """The filter as BPF. Raises SeccompMissing.

    files: whether files may be opened for reading (what others keep closed); threads: whether any may be
    started.
    """
    try:
        import pyseccomp as s
    except (ImportError, OSError, RuntimeError) as error:
        raise SeccompMissing(
            f"seccomp filters cannot be made here ({error}); "
            "install the package pyseccomp and the system's libseccomp2"
        ) from None
    rules = s.SyscallFilter(s.ERRNO(errno.EPERM))
    for name in ALWAYS.split():
        _add(rules, s.ALLOW, name)
    for name in READING.split():
        _add(rules, s.ALLOW if files else s.ERRNO(errno.ENOENT), name)
    for name, place in (("open", 1), ("openat", 2)):  # the flags' place among the arguments
        if files:
            _add(rules, s.ALLOW, name, s.Arg(place, s.MASKED_EQ, WRITING, 0))
        else:
            _add(rules, s.ERRNO(errno.ENOENT), name)
    _add(rules, s.ERRNO(errno.ENOSYS), "clone3")  # so that libc falls back to clone, whose flags can be seen
    _add(rules, s.ERRNO(errno.ENOTTY), "ioctl")
    if threads:
        _add(rules, s.ALLOW, "clone", s.Arg(0, s.MASKED_EQ, CLONE_THREAD, CLONE_THREAD))
    for command in FCNTL_COMMANDS:
        _add(rules, s.ALLOW, "fcntl", s.Arg(1, s.EQ, command))
    for option in (PR_SET_NAME, PR_SET_VMA, PR_GET_SECCOMP):
        _add(rules, s.ALLOW, "prctl", s.Arg(0, s.EQ, option))
    _add(rules, s.ALLOW, "prlimit64", s.Arg(2, s.EQ, 0))  # reading only
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _add(rules: object, action: object, name: str, *args: object) -> None:
    """One rule; a system call that this architecture does not have needs none."""
    try:
        rules.add_rule(action, name, *args)  # type: ignore[attr-defined]
    except (ValueError, OSError) as error:
        if getattr(error, "errno", None) not in (None, errno.EDOM, errno.EFAULT, errno.EINVAL):
            raise
