"""Source bytes -> the same source in UTF-8, as the sandbox takes it."""

from __future__ import annotations

import codecs
import io
import re
import tokenize

from autograder.intake.reading import Unreadable

_MARKED = (
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is the beginning of this one
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
_COOKIE = re.compile(rb"^([ \t\f]*#.*?coding[:=][ \t]*)[-\w.]+")
# Only these: others ("zip", "rot13" …) are not encodings of text.
_TEXT = {"ascii", "iso8859-1", "iso8859-15", "cp1252", "cp850", "mac-roman"}


def as_utf8(data: bytes, shown: str) -> tuple[bytes, str | None]:
    """(source in UTF-8 without a mark, the encoding it had if that is worth telling). Raises Unreadable.

    Python itself refuses a file of Windows-1252 without a declaration; but an accent in a comment is not what
    the exercises are about, so it is read as that, and said.
    """
    for mark, name in _MARKED:
        if data.startswith(mark):
            return _decoded(data, name, shown), None if name == "utf-8-sig" else name
    if b"\0" in data:
        raise Unreadable("file.not_text", file=shown)
    declared = _declared(data)
    if declared in _TEXT:
        return _decoded(_with_cookie_of_utf8(data), declared, shown), declared
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace").encode(), "cp1252"
    return data, None  # with an unknown declaration too: Python refuses it, and says so better than we could


def _decoded(data: bytes, name: str, shown: str) -> bytes:
    try:
        return data.decode(name).encode()
    except UnicodeError:
        raise Unreadable("file.not_text", file=shown) from None


def _declared(data: bytes) -> str:
    """Canonical name of the encoding that a `# -*- coding: … -*-` line declares; "" for an unknown one."""
    try:
        return codecs.lookup(tokenize.detect_encoding(io.BytesIO(data).readline)[0]).name
    except (SyntaxError, LookupError):
        return ""


def _with_cookie_of_utf8(data: bytes) -> bytes:
    """The same bytes with the declaration changed to what they are about to become."""
    lines = data.split(b"\n", 2)
    lines[:2] = [_COOKIE.sub(rb"\1utf-8", line, count=1) for line in lines[:2]]
    return b"\n".join(lines)
