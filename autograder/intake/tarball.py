"""A tar's members, from its bytes. The standard library reads a header; walking over them is done here,
because its own walk follows whatever sizes and attributes the headers claim, and does not always end."""

from __future__ import annotations

import tarfile

from autograder.intake.caps import DEPTH

_BLOCK = 512
_MOST = 10_000  # headers
_NAME = 65_536  # bytes of a long name
Member = tuple[tuple[str, ...], bytes, str]  # (path, content, reason why it cannot be taken)


class TooMany(Exception):
    """There are more members than anybody looks at."""


class NotATar(Exception):
    """The bytes are no tar."""


def files_in_tar(data: bytes) -> list[Member]:
    """All members that are no folders, in order; of two of one name the later one, as tar would unpack them.

    Links, devices and what is cut off have a reason instead of their content. Raises NotATar, TooMany.
    """
    if 0 < len(data) < _BLOCK:
        raise NotATar
    found: dict[tuple[str, ...], Member] = {}
    at, name, count = 0, "", 0
    while at + _BLOCK <= len(data):
        count += 1
        if count > _MOST:
            raise TooMany
        block = data[at : at + _BLOCK]
        if not any(block):
            break  # the end
        try:
            header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except tarfile.HeaderError:
            if at == 0:
                raise NotATar from None
            break  # what came before is there
        size = max(0, header.size) if _has_content(header) else 0
        content = data[at + _BLOCK : at + _BLOCK + size]
        at += _BLOCK + -(-size // _BLOCK) * _BLOCK
        if header.type == tarfile.GNUTYPE_LONGNAME:
            name = content[:_NAME].split(b"\0", 1)[0].decode("utf-8", "surrogateescape")
            continue
        if header.type == tarfile.XHDTYPE:
            name = _path_of(content[: 4 * _NAME]) or name
            continue
        if header.type in (tarfile.XGLTYPE, tarfile.GNUTYPE_LONGLINK, tarfile.SOLARIS_XHDTYPE):
            continue
        path = tuple(p for p in (name or header.name).split("/", 4 * DEPTH) if p not in ("", "."))
        name = ""
        if path and not header.isdir():
            found[path] = (path, content, _reason(header, size - len(content)))
    return list(found.values())


def _has_content(header: tarfile.TarInfo) -> bool:
    return header.type not in (tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE)


def _reason(header: tarfile.TarInfo, missing: int) -> str:
    if header.issym() or header.islnk():
        return "file.link"
    if not header.isreg() or header.type == tarfile.GNUTYPE_SPARSE:
        return "file.special"
    return "zip.broken" if missing else ""


def _path_of(records: bytes) -> str:
    """The `path` in a list of attributes, each "<length> <key>=<value>" and a line break; "" without one."""
    at, path = 0, ""
    while at < len(records):
        space = records.find(b" ", at, at + 20)
        number = records[at:space] if space > at else b""
        if not number.isdigit() or int(number) <= len(number) + 1:
            break
        key, _, value = records[space + 1 : at + int(number) - 1].partition(b"=")
        if key == b"path":
            path = value.decode("utf-8", "surrogateescape")
        at += int(number)
    return path
