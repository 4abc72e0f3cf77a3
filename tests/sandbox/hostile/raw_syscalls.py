# ruff: noqa
import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
CALLS = (
    (272, "unshare user", (0x10000000,)),
    (272, "unshare mnt", (0x20000,)),
    (165, "mount", (b"none", b"/tmp", b"tmpfs", 0, 0)),
    (101, "ptrace", (0, 0, 0, 0)),
    (321, "bpf", (0, 0, 0)),
    (425, "io_uring", (1, 0)),
    (323, "userfaultfd", (0,)),
    (250, "keyctl", (0, -3, 0)),
    (248, "add_key", (b"user", b"x", b"y", 1, -3)),
    (310, "process_vm_readv", (os.getppid() or 1, 0, 0, 0, 0, 0)),
    (438, "pidfd_getfd", (0, 0, 0)),
    (434, "pidfd_open", (1, 0)),
    (298, "perf_event_open", (0, 0, -1, -1, 0)),
    (161, "chroot", (b"/",)),
    (155, "pivot_root", (b"/", b"/")),
    (308, "setns", (0, 0)),
    (29, "shmget", (4242, 4096, 0o1666)),
    (68, "msgget", (4242, 0o1666)),
    (64, "semget", (4242, 1, 0o1666)),
    (240, "mq_open", (b"/kit", 66, 0o666, 0)),
    (227, "clock_settime", (0, 0)),
    (103, "syslog", (3, 0, 0)),
    (160, "setrlimit", (7, 0)),
    (203, "sched_setaffinity", (0, 8, 0)),
    (435, "clone3", (0, 0)),
    (56, "clone", (17, 0, 0, 0, 0)),
    (304, "open_by_handle_at", (0, 0, 0)),
    (317, "seccomp", (1, 0, 0)),
    (157, "prctl dumpable", (4, 1, 0, 0, 0)),
    (222, "timer_create", (0, 0, 0)),
    (38, "setitimer", (0, 0, 0)),
    (319, "memfd_create", (b"x", 0)),
    (46, "sendmsg", (3, 0, 0)),
    (41, "socket", (1, 1, 0)),
    (53, "socketpair", (1, 1, 0, 0)),
    (83, "mkdir", (b"/tmp/x", 0o777)),
    (87, "unlink", (b"/tmp/x",)),
    (59, "execve", (b"/bin/true", 0, 0)),
    (58, "vfork", ()),
    (57, "fork", ()),
    (62, "kill", (os.getppid(), 0)),
    (105, "setuid", (0,)),
    (141, "setpriority", (0, 0, -5)),
    (424, "pidfd_send_signal", (3, 0, 0, 0)),
    (309, "getcpu2", ()),
    (2, "open for writing", (b"/dev/null", 1)),
    (257, "openat creating", (-100, b"/tmp/x", 0o102, 0o644)),
    (437, "openat2", (-100, b"/dev/null", 0, 0)),
    (85, "creat", (b"/tmp/x", 0o644)),
    (72, "fcntl setown", (3, 8, os.getppid())),
)
for number, name, args in CALLS if os.uname().machine == "x86_64" else ():
    if name == "getcpu2":
        continue
    r = libc.syscall(number, *args)
    if r == 0 and name in ("clone", "fork", "vfork"):
        os._exit(0)
    e = ctypes.get_errno() if r < 0 else 0
    print(
        (
            "no "
            if r < 0 and e in (errno.EPERM, errno.ENOSYS, errno.ENOENT, errno.ENOTTY, errno.EACCES)
            else "REACHED "
        )
        + name,
        r,
        e,
    )
