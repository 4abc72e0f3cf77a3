"""A student's zip or tar, read in memory and never unpacked: members are doubted until they are read."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator

from autograder.intake.caps import DEPTH, MOST, Caps
from autograder.intake.entries import Entry, shown_path
from autograder.intake.left_out import LeftOut
from autograder.intake.names import junk, may_be_work
from autograder.intake.reading import Unreadable, too_big
from autograder.intake.tarball import NotATar, TooMany, files_in_tar

FOREIGN = (".rar", ".7z", ".zipx")
PACKED = (".gz", ".tgz", ".bz2", ".tbz2", ".tbz", ".xz", ".txz")
OPENED = (".zip", ".tar", *PACKED)
# All that zipfile raises for bytes that are not what they say.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    OverflowError,
    struct.error,
)
# Deflate needs 32 KB of memory whatever the member says; LZMA takes what the member asks for.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LIST_BYTES = 5_000_000  # of a zip's list of members: 46 bytes and a name each; zipfile reads all of them
_LIST_WORK = 2 * 10**8  # for its additional fields, which have some 36 bytes in an honest one
_MARKS = {b"Rar!\x1a\x07": ".rar", b"7z\xbc\xaf\x27\x1c": ".7z"}
_SLOW_BYTES = 8 * 2**20  # what bzip2 and xz may hold: they take a second for a few megabytes
_UNPACK_MEMORY = 128 * 2**20


def ending(name: str) -> str:
    """By what a name says that its file is an archive (".zip", ".tar.gz", ".rar" …); "" when it does not."""
    low = name.casefold()
    return next((e for e in (".tar.gz", ".tar.bz2", ".tar.xz", *OPENED, *FOREIGN) if low.endswith(e)), "")


def in_archive(
    data: bytes, name: str, shown: str, above: tuple[str, ...], caps: Caps, left: LeftOut, *, hidden: bool
) -> Iterator[Entry]:
    """The files in an archive, whatever kind it is; their paths begin with `above`.

    name: what it is called, which says what it is where its bytes do not. Raises Unreadable when the archive
    as a whole cannot be read.
    """
    for mark, kind in _MARKS.items():
        if data.startswith(mark):
            raise Unreadable("zip.other_kind", file=shown, ending=kind)
    kind = ending(name)
    if kind in FOREIGN:
        raise Unreadable("zip.other_kind", file=shown, ending=kind)
    if data[:4] in (b"PK\3\4", b"PK\5\6", b"PK\7\x08") or kind == ".zip" and not _packed(data):
        yield from _of_zip(data, shown, above, caps, left, hidden=hidden)
        return
    plain = _unpacked(data, shown, caps)
    try:
        members = files_in_tar(plain)
    except TooMany:
        raise Unreadable("zip.too_many", file=shown, most=MOST) from None
    except NotATar:
        if not kind.endswith(PACKED) or kind.startswith((".tar", ".t")):
            raise Unreadable("zip.broken", file=shown) from None
        members = [((name[: -len(kind)],), plain, "")]  # norm.py.gz
    if len(members) > caps.names[hidden]:
        raise Unreadable("zip.too_many", file=shown, most=MOST)
    caps.names[hidden] -= len(members)
    for parts, content, reason in members:
        path = _inside(parts, left, above, hidden)
        if path:
            secret = hidden or _hidden(parts)
            entry = Entry(path, _given(content, reason, shown_path(path)), secret)
            if caps.takes(hidden=secret, work=may_be_work(entry.name, caps.expected)):
                yield entry
            else:
                left.add("folder.more", path, hidden=secret)


def _of_zip(
    data: bytes, shown: str, above: tuple[str, ...], caps: Caps, left: LeftOut, *, hidden: bool
) -> Iterator[Entry]:
    _refuse_slow_list(data, shown)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _BROKEN:
        raise Unreadable("zip.broken", file=shown) from None
    members = archive.infolist()
    if len(members) > caps.names[hidden]:
        raise Unreadable("zip.too_many", file=shown, most=MOST)
    caps.names[hidden] -= len(members)
    by_path: dict[tuple[str, ...], list[zipfile.ZipInfo]] = {}
    for member in members:
        name = member.orig_filename  # may be empty, for which is_dir() raises
        if not name.endswith(("/", "\\")):
            by_path.setdefault(_parts(name), []).append(member)
    for parts, same in by_path.items():
        path = _inside(parts, left, above, hidden)
        if not path:
            continue
        secret = hidden or _hidden(parts)
        if caps.takes(hidden=secret, work=may_be_work(path[-1], caps.expected)):
            yield Entry(path, _member(archive, same, shown_path(path), shown, caps), secret)
        else:
            left.add("folder.more", path, hidden=secret)


def _refuse_slow_list(data: bytes, shown: str) -> None:
    """Raises Unreadable for a list of members that would take long to read, found where zipfile does."""
    end = len(data) - 22
    if end < 0 or data[end : end + 4] != b"PK\5\6" or data[-2:] != b"\0\0":
        end = data.rfind(b"PK\5\6", max(0, len(data) - 22 - 65536))
    if end < 0 or len(data) < end + 22:
        return  # no zip: zipfile says so
    ends = {end: int(struct.unpack_from("<I", data, end + 12)[0])}
    # Zip64 has the size in a record before.
    if end >= 76 and data[end - 20 : end].startswith(b"PK\6\7"):  # Zip64 has it in a record before
        places = {end - 76, int(struct.unpack_from("<Q", data, end - 12)[0])}
        records = [at for at in places if data[at : at + 4] == b"PK\6\6" and at + 56 <= len(data)]
        ends |= {at: int(struct.unpack_from("<Q", data, at + 40)[0]) for at in records}
        if records and ends[end] == 0xFFFFFFFF:
            del ends[end]
    for stop, size in ends.items():
        if size > _LIST_BYTES:
            raise Unreadable("zip.too_many", file=shown, most=MOST)
        if _work(data, max(0, stop - size), stop) > _LIST_WORK:
            raise Unreadable("zip.broken", file=shown)


def _work(data: bytes, at: int, stop: int) -> int:
    """How long zipfile needs for the additional fields in a list of members: it copies the rest for each."""
    work = 0
    while at + 46 <= stop and data[at : at + 4] == b"PK\1\2":
        name, extra, comment = struct.unpack_from("<3H", data, at + 28)
        work += extra * extra
        at += 46 + name + extra + comment
    return work


def _parts(name: str) -> tuple[str, ...]:
    """A member's name in parts. Nothing is unpacked: one that begins at a disk's top is only a long one."""
    # Of a name with more folders than are looked into, the rest may stay in one piece.
    parts = [p for p in name.replace("\\", "/").split("/", 4 * DEPTH) if p not in ("", ".")]
    if parts and len(parts[0]) == 2 and parts[0].endswith(":"):
        parts = parts[1:]
    return tuple(parts)


def _inside(
    parts: tuple[str, ...], left: LeftOut, above: tuple[str, ...], hidden: bool
) -> tuple[str, ...] | None:
    """Where a member lies in the submission; None, and noted, for one that will not be looked at."""
    if not parts:
        return None
    if ".." in parts or any("\0" in part for part in parts):
        left.add("zip.outside", (*above, *parts))
        return None
    if len(parts) > DEPTH:
        left.add("folder.too_deep", (*above, *parts[:DEPTH]), hidden=hidden or _hidden(parts))
        return None
    return (*above, *parts)


def _hidden(parts: tuple[str, ...]) -> bool:
    return junk(parts[-1], folder=False) or any(junk(part, folder=True) for part in parts[:-1])


def _member(
    archive: zipfile.ZipFile, same: list[zipfile.ZipInfo], path: str, shown: str, caps: Caps
) -> Callable[[int], bytes]:
    member = same[0]
    counted = False

    def read(limit: int) -> bytes:
        nonlocal counted
        if len({(other.CRC, other.file_size) for other in same}) > 1:
            # Which of two files of one name would be graded is not for us to choose.
            raise Unreadable("zip.duplicate", file=shown, member=path)
        if stat.S_ISLNK(member.external_attr >> 16):
            raise Unreadable("file.link", file=path)
        if member.flag_bits & 0x1:
            raise Unreadable("zip.encrypted", file=path)
        if member.compress_type not in _METHODS:
            raise Unreadable("zip.method", file=path)
        if member.file_size > limit:
            raise too_big(path, limit)
        if not counted:
            counted = True
            caps.spend(member.file_size, path)  # it never inflates to more than it says
        try:
            with archive.open(member) as file:
                data = file.read(limit + 1)  # what it says of its size may be a lie
        except _BROKEN:
            raise Unreadable("zip.broken", file=path) from None
        if len(data) > limit:
            raise too_big(path, limit)
        return data

    return read


def _given(content: bytes, reason: str, path: str) -> Callable[[int], bytes]:
    def read(limit: int) -> bytes:
        if reason:
            raise Unreadable(reason, file=path)
        if len(content) > limit:
            raise too_big(path, limit)
        return content

    return read


def _packed(data: bytes) -> bool:
    return data.startswith((b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0")) or data[257:262] == b"ustar"


def _unpacked(data: bytes, shown: str, caps: Caps) -> bytes:
    """What a gzip, bzip2 or xz holds; other bytes as they are. Raises Unreadable."""
    limit = caps.room(caps.archive_bytes)
    if data.startswith((b"BZh", b"\xfd7zXZ\0")):
        limit = min(limit, _SLOW_BYTES)
    try:
        if data.startswith(b"\x1f\x8b"):
            plain = gzip.GzipFile(fileobj=io.BytesIO(data)).read(limit + 1)
        elif data.startswith(b"BZh"):
            plain = bz2.BZ2File(io.BytesIO(data)).read(limit + 1)
        elif data.startswith(b"\xfd7zXZ\0"):
            plain = lzma.LZMADecompressor(memlimit=_UNPACK_MEMORY).decompress(data, limit + 1)
        else:
            return data
    except (*_BROKEN, lzma.LZMAError):
        raise Unreadable("zip.broken", file=shown) from None
    if len(plain) > limit:
        raise too_big(shown, limit)
    caps.spend(len(plain), shown)
    return plain
