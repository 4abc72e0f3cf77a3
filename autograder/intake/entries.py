"""What lies in a submission, wherever it lies: the same list for a folder and for a zip."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.intake.names import junk, printable
from autograder.intake.reading import Unreadable, read_regular

DEPTH = 4  # folders inside folders
MOST = 5000  # entries that are looked at


@dataclass(frozen=True)
class Entry:
    """One file. `read(limit)` gives its bytes or raises Unreadable."""

    path: tuple[str, ...]
    read: Callable[[int], bytes]

    @property
    def name(self) -> str:
        """Its last part: "heads.py"."""
        return self.path[-1]

    @property
    def shown(self) -> str:
        """Its whole path, for people."""
        return "/".join(map(printable, self.path))


def in_folder(folder: Path) -> list[Entry]:
    """All files under a folder, links and special files included (reading them gives the reason).

    Raises Unreadable when the folder itself cannot be listed or holds too much.
    """
    found: list[Entry] = []
    for entry in _walk(folder, ()):
        found.append(entry)
        if len(found) > MOST:
            raise Unreadable("folder.too_many", most=MOST)
    return found


def _walk(folder: Path, above: tuple[str, ...]) -> Iterator[Entry]:
    try:
        with os.scandir(folder) as listing:
            items = sorted(listing, key=lambda item: item.name)
    except OSError as e:
        if not above:
            raise Unreadable("folder.unreadable", why=e.strerror or type(e).__name__) from None
        return
    for item in items:
        path = (*above, item.name)
        is_folder = item.is_dir(follow_symlinks=False)
        if junk(item.name, folder=is_folder):
            continue
        if not is_folder or item.name.endswith(".py"):  # reading a folder in a file's place says so
            yield Entry(path, _reader(Path(item.path), path))
        elif len(path) <= DEPTH:
            yield from _walk(Path(item.path), path)


def _reader(place: Path, path: tuple[str, ...]) -> Callable[[int], bytes]:
    shown = "/".join(map(printable, path))
    return lambda limit: read_regular(place, limit, shown)
