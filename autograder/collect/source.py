"""A bulk download, folder or zip, as a list of entries. Nothing is unpacked; archives are read in memory."""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from autograder.class_folder import ATTEMPTS, SETTINGS, TABLES
from autograder.intake.names import printable
from autograder.store import LOCK

MOST_ENTRIES = 100_000  # of one download
LARGEST = 256 << 20  # bytes of one file in it
MOST_BYTES = 8 << 30  # of all of it together
DEPTH = 24  # folders within one another
LONGEST = 4000  # characters of a path
WRITTEN = ".students.csv"  # students.csv as it was last written: what a person has changed is known by it
OURS = {*TABLES, WRITTEN, SETTINGS, LOCK}  # beside a class
MARK = ".attempt.json"  # of an attempt in a class that this kit has made
# What systems and tools leave behind: told once for each folder, not file by file.
LEFT_BEHIND = {
    "__macosx", "__pycache__", ".git", ".ipynb_checkpoints", "node_modules", ".venv", "venv", ".idea", ".vscode",
}  # fmt: skip
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, NotImplementedError)


class DownloadError(Exception):
    """A download that cannot be used; the text says which, why and what to do."""


class CannotRead(Exception):
    """One entry that cannot be read; the text says why."""


@dataclass(frozen=True)
class Entry:
    """One file of a download. path: its parts; shown: the path for people; when: the time that the folder or
    archive gives it, if it gives one. `read()` gives its bytes or raises CannotRead."""

    path: tuple[str, ...]
    shown: str
    size: int
    when: datetime | None
    read: Callable[[], bytes] = field(compare=False, repr=False)


@dataclass(frozen=True)
class LeftOut:
    """What is not looked at, and why."""

    shown: str
    why: str


@dataclass
class Download:
    """All of one download, without what wraps it whole."""

    name: str
    archive: bool
    entries: list[Entry]
    left_out: list[LeftOut]


def open_download(path: Path) -> Download:
    """The entries of a folder or zip. Raises DownloadError."""
    if path.is_dir():
        found, archive = _folder(path), False
    elif zipfile.is_zipfile(path):
        found, archive = _zip(path), True
    elif not path.exists():
        raise DownloadError(
            f"{path}: no such file or folder. Give the zip that the platform made, or a folder."
        )
    else:
        raise DownloadError(
            f"{path}: neither a folder nor a zip. Give the zip that the platform made, or the folder that it "
            "was unpacked into."
        )
    entries: list[Entry] = []
    left: list[LeftOut] = []
    total = 0
    folders: set[str] = set()
    for one in found:
        if isinstance(one, LeftOut):
            left.append(one)
            continue
        if (behind := _left_behind(one.path)) is not None:
            if behind not in folders:
                folders.add(behind)
                left.append(LeftOut(behind, "left behind by a system or tool"))
            continue
        total += one.size
        if len(entries) >= MOST_ENTRIES or total > MOST_BYTES:
            raise DownloadError(
                f"{path}: holds more than {MOST_ENTRIES} files or {MOST_BYTES >> 30} GB. Is it one assignment's?"
            )
        entries.append(one)
    entries.sort(key=lambda e: e.path)
    return Download(path.name, archive, entries, left)


def _left_behind(path: tuple[str, ...]) -> str | None:
    """The folder (or file) of a system or tool that an entry lies in. Commit times are asked for elsewhere."""
    for i, part in enumerate(path[:-1]):
        if part.casefold() in LEFT_BEHIND and not (part == ".git" and path[i + 1 :] == ("logs", "HEAD")):
            return "/".join(path[: i + 1]) + "/"
    last = path[-1].casefold()
    if last.startswith("._") or last in (".ds_store", "thumbs.db", "desktop.ini", MARK):
        return "/".join(path)
    if len(path) == 1 and last in OURS:
        return last
    return f"{ATTEMPTS}/" if path[0] == ATTEMPTS else None


def _folder(root: Path) -> Iterator[Entry | LeftOut]:
    waiting: list[tuple[Path, tuple[str, ...]]] = [(root, ())]
    seen = 0
    while waiting:
        place, above = waiting.pop()
        try:
            with os.scandir(place) as listing:
                items = sorted(listing, key=lambda item: item.name)
        except OSError as e:
            if not above:
                raise DownloadError(
                    f"{root}: cannot be read ({e.strerror}). Check its permissions."
                ) from None
            yield LeftOut("/".join(above), f"cannot be read ({e.strerror})")
            continue
        for item in items:
            seen += 1
            path = (*above, _text(item.name))
            shown = printable("/".join(path))
            if seen > 2 * MOST_ENTRIES:
                raise DownloadError(f"{root}: holds more than {MOST_ENTRIES} files. Is it one assignment's?")
            if item.is_symlink():
                yield LeftOut(shown, "a link; links are not followed")
            elif item.is_dir(follow_symlinks=False):
                if len(path) > DEPTH:
                    yield LeftOut(shown, f"more than {DEPTH} folders deep")
                else:
                    waiting.append((Path(item.path), path))
            else:
                yield _file(Path(item.path), path, shown)


def _text(name: str) -> str:
    """A name that can be written down; of one that is no UTF-8 its bytes as latin-1."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(name).decode("latin-1")
    return name


def _file(place: Path, path: tuple[str, ...], shown: str) -> Entry | LeftOut:
    try:
        info = place.lstat()
    except OSError as e:
        return LeftOut(shown, f"cannot be read ({e.strerror})")
    if not stat.S_ISREG(info.st_mode):
        return LeftOut(shown, "no ordinary file")
    if info.st_size > LARGEST:
        return LeftOut(shown, f"larger than {LARGEST >> 20} MB")

    def read() -> bytes:
        try:
            with place.open("rb") as file:
                return file.read(LARGEST)
        except OSError as e:
            raise CannotRead(f"cannot be read ({e.strerror})") from None

    return Entry(path, shown, info.st_size, datetime.fromtimestamp(info.st_mtime, UTC), read)


def _zip(path: Path) -> Iterator[Entry | LeftOut]:
    try:
        archive = zipfile.ZipFile(path)
        members = archive.infolist()
    except _BROKEN as e:
        raise DownloadError(f"{path}: is no zip that can be read ({e}). Download it again.") from None
    taken: set[tuple[str, ...]] = set()
    for member in members:
        name = _name_of(member)
        shown = printable(name if len(name) <= LONGEST else name[:LONGEST] + "…")
        parts = tuple(p for p in PurePosixPath(name.replace("\\", "/")).parts if p != ".")
        if member.is_dir():
            continue
        if why := _refused(name, parts, member, taken):
            yield LeftOut(shown, why)
            continue
        taken.add(parts)
        yield Entry(parts, shown, member.file_size, _time_of(member), _reader(archive, member))


def _refused(name: str, parts: tuple[str, ...], member: zipfile.ZipInfo, taken: set[tuple[str, ...]]) -> str:
    if not parts or name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0][:2] or "\0" in name:
        return "a path that leads out of the archive"
    if len(name) > LONGEST or len(parts) > DEPTH:
        return "a path that is too long or too deep"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "a link; links are not followed"
    if member.flag_bits & 1:
        return "encrypted"
    if member.file_size > LARGEST:
        return f"larger than {LARGEST >> 20} MB"
    if member.file_size > 10_000_000 and member.file_size > 400 * max(1, member.compress_size):
        return "packed so tightly that it cannot be work"
    return "there twice in the archive" if parts in taken else ""


def _name_of(member: zipfile.ZipInfo) -> str:
    """A member's name. Archives without the UTF-8 flag are read by Python as cp437; most of them are UTF-8."""
    if member.flag_bits & 0x800:
        return member.filename
    try:
        raw = member.filename.encode("cp437")
    except UnicodeEncodeError:
        return member.filename
    for encoding in ("utf-8", "cp437"):
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return member.filename


def _time_of(member: zipfile.ZipInfo) -> datetime | None:
    """Local time of whoever made the archive, so without a zone; None for the zero time of many programs."""
    try:
        at = datetime(*member.date_time)
    except ValueError:
        return None
    return at if at.year > 1980 else None


def _reader(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            with archive.open(member) as file:
                data = file.read(member.file_size + 1)
        except _BROKEN as e:
            raise CannotRead(f"is damaged ({e})") from None
        if len(data) > member.file_size:
            raise CannotRead("is larger than the archive says")
        return data

    return read
