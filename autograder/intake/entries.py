"""What lies in a submission, wherever it lies: the same list for a folder and for an archive."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from autograder.intake.caps import DEPTH, MOST, Caps
from autograder.intake.left_out import LeftOut
from autograder.intake.links import Links
from autograder.intake.names import junk, may_be_work, meant, printable, shortened
from autograder.intake.reading import Unreadable, read_regular

_AT_ONCE = 2 * MOST  # names of one folder; of more, nobody waits for all to be sorted


@dataclass(frozen=True)
class Entry:
    """One file. `read(limit)` gives its bytes or raises Unreadable."""

    path: tuple[str, ...]
    read: Callable[[int], bytes]
    hidden: bool = False  # a hidden file, or in a folder that nobody means to hand in (.git, venv, __MACOSX)

    @property
    def name(self) -> str:
        """Its last part: "norm.py"."""
        return self.path[-1]

    @property
    def shown(self) -> str:
        """Its whole path, for people; the middle of a very long one is left out."""
        return shown_path(self.path)


def shown_path(path: tuple[str, ...]) -> str:
    """A path for people."""
    ends = path if len(path) <= DEPTH + 1 else (*path[:3], "…", path[-1])
    return shortened("/".join(printable(shortened(part)) for part in ends))


def listed(folder: Path, caps: Caps, left: LeftOut, links: Links) -> Iterator[Entry]:
    """All files under a folder, the outer ones first, and hidden ones last; links and special files included
    (reading them gives the reason). Raises Unreadable when the folder itself cannot be listed.
    """
    waiting: dict[bool, deque[tuple[Path, tuple[str, ...]]]] = {False: deque([(folder, ())]), True: deque()}
    while any(waiting.values()):
        hidden = not waiting[False]
        place, above = waiting[hidden].popleft()
        for item in _items(place, above, hidden, caps, left):
            path = (*above, item.name)
            is_folder = _is_folder(item)
            secret = hidden or junk(item.name, folder=is_folder)
            if is_folder and len(path) > DEPTH:
                left.add("folder.too_deep", path, hidden=secret)
            elif is_folder:
                waiting[secret].append((Path(item.path), path))
            # A folder in the place of an exercise is a file whose reason says so.
            if not is_folder or meant(item.name, caps.expected):
                if caps.takes(hidden=secret, work=may_be_work(item.name, caps.expected)):
                    yield Entry(path, _reader(Path(item.path), path, caps, links), secret)
                else:
                    left.add("folder.more", path, hidden=secret)


@dataclass(frozen=True)
class _Item:
    """A name in a folder, found by asking for it."""

    name: str
    path: str

    def is_dir(self, *, follow_symlinks: bool = False) -> bool:
        """Whether it is a folder and no link to one."""
        return os.path.isdir(self.path) and not os.path.islink(self.path)


def _items(
    place: Path, above: tuple[str, ...], hidden: bool, caps: Caps, left: LeftOut
) -> list[os.DirEntry[str] | _Item]:
    """What lies in one folder, by name. Of a folder that has too much, not all."""
    most = max(0, min(_AT_ONCE, caps.names[hidden]))
    try:
        with os.scandir(place) as listing:
            items: list[os.DirEntry[str] | _Item] = list(islice(listing, most + 1))
    except (OSError, ValueError) as e:
        why = getattr(e, "strerror", None) or type(e).__name__
        if not above:
            raise Unreadable("folder.unreadable", why=why) from None
        left.add("folder.closed", above, hidden=hidden)
        return []
    if len(items) > most:
        left.add("folder.more", above, hidden=hidden)
        del items[most:]
        # The system lists in no order: what is looked for must not hang on which names came first.
        known = {item.name for item in items}
        wanted = [_Item(name, os.path.join(place, name)) for name in caps.expected if name not in known]
        items += [item for item in wanted if os.path.lexists(item.path)]
    caps.names[hidden] -= len(items)
    return sorted(items, key=lambda item: item.name)


def _is_folder(item: os.DirEntry[str] | _Item) -> bool:
    try:
        return item.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _reader(place: Path, path: tuple[str, ...], caps: Caps, links: Links) -> Callable[[int], bytes]:
    shown = shown_path(path)
    counted = False

    def read(limit: int) -> bytes:
        nonlocal counted
        data = read_regular(place, limit, shown, links)
        if not counted:
            counted = True
            caps.spend(len(data), shown)
        return data

    return read
