"""How much of one submission is looked at: names, files, archives, bytes; folders and archives together."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograder.assignment import Assignment
from autograder.intake.names import Expected, expected
from autograder.intake.reading import Unreadable

KB, MB = 2**10, 2**20

DEPTH = 64  # folders inside folders
MOST = 5000  # files that are looked at
ARCHIVES = 20  # archives that are opened
NESTED = 3  # archives inside archives
# Sooner or later a listing has to stop: a folder may have millions of names, a virtual environment 50,000.
_NAMES = 50_000
_HIDDEN_NAMES = 2000
_HIDDEN_MOST = 500


@dataclass
class Caps:
    """What is left of one submission's allowance. Whatever is looked at takes from it."""

    archive_bytes: int  # the size of one archive, packed or unpacked
    bytes_left: int  # for all that is read
    expected: Expected  # names of work
    names: dict[bool, int] = field(default_factory=lambda: {False: _NAMES, True: _HIDDEN_NAMES})  # by hidden
    files: dict[bool, int] = field(default_factory=lambda: {False: MOST, True: _HIDDEN_MOST})
    others: int = MOST  # files that cannot be work
    archives: int = ARCHIVES

    @classmethod
    def of(cls, assignment: Assignment) -> Caps:
        """The allowance of a submission that nobody has looked at."""
        limits = assignment.limits
        one = limits.submission_kb * KB + limits.notebook_mb * MB
        return cls(archive_bytes=one, bytes_left=4 * one, expected=expected(assignment))

    def takes(self, *, hidden: bool, work: bool) -> bool:
        """Counts one more file; False when there were too many before it."""
        if not hidden and not work:
            self.others -= 1
            return self.others >= 0
        self.files[hidden] -= 1
        return self.files[hidden] >= 0

    def room(self, limit: int) -> int:
        """How many bytes may be read where `limit` are wanted."""
        return max(0, min(limit, self.bytes_left))

    def spend(self, size: int, shown: str) -> None:
        """Counts bytes that were read. Raises Unreadable when they are too many in all."""
        self.bytes_left -= size
        if self.bytes_left < 0:
            raise all_too_big(shown, self)


def all_too_big(shown: str, caps: Caps) -> Unreadable:
    """The reason for a file before which too much was read already."""
    return Unreadable("file.all_too_big", file=shown, limit_mb=4 * caps.archive_bytes // MB)
