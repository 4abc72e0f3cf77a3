# ruff: noqa
import os

for fd in (0, 1, 2, 3):
    os.close(fd)
