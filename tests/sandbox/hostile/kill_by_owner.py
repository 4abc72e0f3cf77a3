# ruff: noqa
import ctypes
import fcntl
import os

libc = ctypes.CDLL(None, use_errno=True)
F_SETSIG = 10
for fd in (1, 2, 3):
    for target in (os.getppid(), 1, -1):
        try:
            fcntl.fcntl(fd, fcntl.F_SETOWN, target)
            fcntl.fcntl(fd, F_SETSIG, 9)
            fcntl.fcntl(fd, fcntl.F_SETFL, fcntl.fcntl(fd, fcntl.F_GETFL) | os.O_ASYNC)
            print("HARM", fd, "signals", target)
        except OSError as e:
            print("no", fd, target, e)
    for request in (0x8901, 0x8902, 0x5452):  # FIOSETOWN, SIOCSPGRP, FIOASYNC
        if libc.ioctl(fd, request, ctypes.byref(ctypes.c_int(os.getppid()))) == 0:
            print("HARM ioctl", request)
