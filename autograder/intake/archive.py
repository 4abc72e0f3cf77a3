"""A student's zip, read in memory and never unpacked: every member is doubted until its bytes are here."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable

from autograder.intake.entries import DEPTH, MOST, Entry
from autograder.intake.names import junk
from autograder.intake.reading import Unreadable, too_big

OTHER_KINDS = (".rar", ".7z", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".gz", ".xz", ".bz2", ".zipx")
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


def in_zip(data: bytes, shown: str) -> list[Entry]:
    """The files in a zip, junk left out. Raises Unreadable when the zip as a whole cannot be trusted."""
    if _size_of_list(data) > MOST * 300:  # 46 bytes and a name each; zipfile would read all of them
        raise Unreadable("zip.too_many", file=shown, most=MOST)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _BROKEN:
        raise Unreadable("zip.broken", file=shown) from None
    members = archive.infolist()
    if len(members) > MOST:
        raise Unreadable("zip.too_many", file=shown, most=MOST)
    found: dict[tuple[str, ...], Entry] = {}
    for member in members:
        path = _path(member.orig_filename, shown)
        if member.is_dir() or _left_out(path):
            continue
        if path in found:  # which one would be graded is not for us to choose
            raise Unreadable("zip.duplicate", file=shown, member="/".join(path))
        found[path] = Entry(path, _reader(archive, member, "/".join((shown, *path))))
    return [found[path] for path in sorted(found)]


def _size_of_list(data: bytes) -> int:
    """Bytes that the zip says its list of members has. Looks for it where zipfile does."""
    end = len(data) - 22
    if end < 0 or data[end : end + 4] != b"PK\5\6" or data[-2:] != b"\0\0":
        end = data.rfind(b"PK\5\6", max(0, len(data) - 22 - 65536))
    if end < 0 or len(data) < end + 22:
        return 0  # no zip: zipfile says so
    if data[max(0, end - 20) : end].startswith(b"PK\6\7"):  # Zip64, for more than 65,535 members
        return 2**64
    return int(struct.unpack_from("<I", data, end + 12)[0])


def _path(name: str, shown: str) -> tuple[str, ...]:
    """A member's name in parts. Raises Unreadable for one that leads out of its folder."""
    name = name.replace("\\", "/")  # as some Windows programs write it
    parts = tuple(p for p in name.split("/") if p not in ("", "."))
    if name.startswith("/") or ".." in parts or (parts and parts[0].endswith(":")) or "\0" in name:
        raise Unreadable("zip.leads_out", file=shown, member=ascii(name)[1:-1])
    return parts


def _left_out(path: tuple[str, ...]) -> bool:
    if not path or len(path) > DEPTH + 1:
        return True
    return junk(path[-1], folder=False) or any(junk(p, folder=True) for p in path[:-1])


def _reader(archive: zipfile.ZipFile, member: zipfile.ZipInfo, shown: str) -> Callable[[int], bytes]:
    def read(limit: int) -> bytes:
        if stat.S_ISLNK(member.external_attr >> 16):
            raise Unreadable("file.link", file=shown)
        if member.flag_bits & 0x1:
            raise Unreadable("zip.encrypted", file=shown)
        if member.compress_type not in _METHODS:
            raise Unreadable("zip.method", file=shown)
        if member.file_size > limit:
            raise too_big(shown, limit)
        try:
            with archive.open(member) as file:
                data = file.read(limit + 1)  # what it says of its size may be a lie
        except _BROKEN:
            raise Unreadable("zip.broken", file=shown) from None
        if len(data) > limit:
            raise too_big(shown, limit)
        return data

    return read
