"""Opening a stranger's file: a regular file with one name, of a size we expect, and never through a link."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from pydantic import JsonValue

from autograder.intake.links import Links
from autograder.results import Problem

# Where a flag does not exist (Windows), the check before opening has to do.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)  # opening a FIFO would wait for its other end
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class Unreadable(Exception):
    """A file cannot be taken; `problem` says why."""

    def __init__(self, id: str, **params: JsonValue) -> None:
        super().__init__(id, params)
        self.problem = Problem(id=id, params=params)


def read_regular(path: Path, limit: int, shown: str, links: Links | None = None) -> bytes:
    """The bytes of `path`, at most `limit` of them; `shown` names it in the reason. Raises Unreadable.

    links: decides about a file with several names; without it none is read.
    """
    try:
        _refuse(
            path.lstat(), limit, shown, links, path
        )  # says "a link" where the open below could only say "no"
        fd = os.open(path, _FLAGS)
    except OSError as e:
        raise Unreadable("file.unreadable", file=shown, why=e.strerror or type(e).__name__) from None
    with os.fdopen(fd, "rb") as file:
        _refuse(os.fstat(fd), limit, shown, links, path)  # what was opened, whatever was there a moment ago
        try:
            data = file.read(limit + 1)  # not what its size claims: it may grow
        except OSError as e:
            raise Unreadable("file.unreadable", file=shown, why=e.strerror or type(e).__name__) from None
    if len(data) > limit:
        raise too_big(shown, limit)
    return data


def too_big(shown: str, limit: int) -> Unreadable:
    """The reason for a file of more than `limit` bytes."""
    return Unreadable("file.too_big", file=shown, limit_kb=limit // 1024)


def _refuse(info: os.stat_result, limit: int, shown: str, links: Links | None, path: Path) -> None:
    if stat.S_ISLNK(info.st_mode):
        raise Unreadable("file.link", file=shown)
    if stat.S_ISDIR(info.st_mode):
        raise Unreadable("file.folder", file=shown)
    if not stat.S_ISREG(info.st_mode):
        raise Unreadable("file.special", file=shown)
    # A second name may lead anywhere, to another student's file for one.
    if info.st_nlink > 1 and not (links and links.may_read(path, info, shown)):
        raise Unreadable("file.second_name", file=shown)
    if info.st_size > limit:
        raise too_big(shown, limit)
