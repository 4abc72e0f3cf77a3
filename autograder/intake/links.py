"""A file with several names (a hard link): whether the folder it was found in can have made the last one.

Making a link sets the time of change of the file and of the folder that the new name lies in. A folder that
was last changed before that did not make it.
"""

from __future__ import annotations

import os
from collections import defaultdict, deque
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal

_NAMES = 50_000  # of a class that are looked through for the other names of a file
_LEVELS = 20

Answer = Literal["own", "ask", "refuse"]


@dataclass(frozen=True)
class Neighbours:
    """All files of a class folder by their inode. Nobody looks before a file with several names is met."""

    folder: Path

    @cached_property
    def _by_inode(self) -> dict[int, list[Path]]:
        found: dict[int, list[Path]] = defaultdict(list)
        waiting, left = deque([(self.folder, 0)]), _NAMES
        while waiting and left > 0:
            place, level = waiting.popleft()
            try:
                with os.scandir(place) as listing:
                    for item in listing:
                        left -= 1
                        if left < 0:
                            break
                        if not item.is_dir(follow_symlinks=False):
                            found[item.inode()].append(Path(item.path))
                        elif level < _LEVELS:
                            waiting.append((Path(item.path), level + 1))
            except OSError:
                continue
        return found

    def names(self, info: os.stat_result) -> list[Path]:
        """The names that one file has in the class."""
        return [path for path in self._by_inode.get(info.st_ino, []) if _is(path, info)]

    def whose(self, path: Path) -> str:
        """The submission that a path lies in."""
        return path.relative_to(self.folder).parts[0]


@dataclass
class Links:
    """Decides for one submission. `asked`: files of which a person must say whose they are."""

    neighbours: Neighbours | None = None
    asked: list[str] = field(default_factory=list)

    def may_read(self, path: Path, info: os.stat_result, shown: str) -> bool:
        """Whether a file with more than one name is to be read; what a person must look at is noted."""
        answer = self._answer(path, info)
        if answer == "ask" and shown not in self.asked:
            self.asked.append(shown)
        return answer != "refuse"

    def _answer(self, path: Path, info: os.stat_result) -> Answer:
        try:
            if path.parent.stat().st_uid != info.st_uid:
                return "refuse"
        except OSError:
            return "refuse"
        others: list[Path] = []
        if self.neighbours is not None and path.is_relative_to(self.neighbours.folder):
            names = self.neighbours.names(info)
            mine = self.neighbours.whose(path)
            others = [name for name in names if self.neighbours.whose(name) != mine]
            if len(names) >= info.st_nlink and not others:
                return "own"  # all names lie in one submission
        if not others:
            return "refuse" if _last_changed(path, surely=True) >= info.st_ctime_ns else "own"
        made_here = _last_changed(path) >= info.st_ctime_ns
        made_there = any(_last_changed(name) >= info.st_ctime_ns for name in others)
        if made_here == made_there:  # also when nobody's folder shows it: the file was changed since
            return "ask"
        return "refuse" if made_here else "own"


def _last_changed(path: Path, *, surely: bool = False) -> int:
    """When the folder of a name got or lost its last name; surely: or later, which nobody can set back."""
    try:
        folder = path.parent.stat()
    except OSError:
        return 2**63
    return max(folder.st_mtime_ns, folder.st_ctime_ns) if surely else folder.st_mtime_ns


def _is(path: Path, info: os.stat_result) -> bool:
    try:
        return os.path.samestat(path.lstat(), info)
    except OSError:
        return False
