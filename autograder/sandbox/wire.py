"""Frames on the socket between judge and worker. Nothing here or anywhere near it unpickles anything.

frame  = magic, u32 length of the header, u64 length of the blob, header (JSON), blob (see tensors.py)
header = {"n": nonce, ...}. Every frame of the judge carries a new nonce; the worker's next frame repeats it.

Lengths are checked against caps before a byte of them is read. JSON from strangers: no duplicate keys, no
bare floats (they cross as hex text, so that NaN and the last bit survive), no long integers, no deep nesting.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import Any, NoReturn

MAGIC = b"AGK1"
PREFIX = struct.Struct("<4sIQ")
MAX_DIGITS = 20  # of an integer in JSON


class ProtocolError(Exception):
    """Bytes that are not the protocol. From a worker, that is the student's doing."""


@dataclass(frozen=True)
class Caps:
    """How many bytes one frame may have."""

    header: int
    blob: int


REPLY = Caps(header=256 << 10, blob=64 << 20)  # from a worker
REQUEST = Caps(header=1 << 20, blob=512 << 20)  # from the judge


def pack(header: dict[str, Any], blob: bytes = b"", caps: Caps = REQUEST) -> bytes:
    """One frame. Raises ProtocolError when it is larger than the other side would take."""
    text = json.dumps(header, allow_nan=False, separators=(",", ":")).encode("ascii")
    if len(text) > caps.header or len(blob) > caps.blob:
        raise ProtocolError(f"a value of {len(text) + len(blob)} bytes is more than fits")
    return PREFIX.pack(MAGIC, len(text), len(blob)) + text + blob


def sizes(prefix: bytes, caps: Caps) -> tuple[int, int]:
    """The first PREFIX.size bytes of a frame -> (length of header, length of blob)."""
    magic, header, blob = PREFIX.unpack(prefix)
    if magic != MAGIC:
        raise ProtocolError("not a frame")
    if header > caps.header or blob > caps.blob:
        raise ProtocolError(f"a frame of {header + blob} bytes")
    return header, blob


def strict_json(raw: bytes) -> Any:
    """JSON of strangers -> None, bool, int, str, list and dict. Raises ProtocolError."""
    try:
        return json.loads(
            raw.decode("utf-8"),
            parse_int=_integer,
            parse_float=_no_float,
            parse_constant=_no_float,
            object_pairs_hook=_no_duplicates,
        )
    except (ValueError, RecursionError, MemoryError) as error:  # UnicodeDecodeError is a ValueError
        raise ProtocolError(f"JSON: {type(error).__name__}") from None


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ProtocolError("JSON: a very long integer")
    return int(digits)


def _no_float(text: str) -> NoReturn:
    raise ProtocolError("JSON: a bare float")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        raise ProtocolError("JSON: the same key twice")
    return out


def parse_header(raw: bytes) -> dict[str, Any]:
    """The header of a frame. Raises ProtocolError."""
    header = strict_json(raw)
    if type(header) is not dict:
        raise ProtocolError("header form")
    return header


def clean(text: str, cap: int) -> str:
    """Text of strangers, fit to be written and shown: capped, encodable, no control characters but \\n and
    \\t.
    """
    text = text[:cap].encode("utf-8", "replace").decode("utf-8")
    return "".join(c if c.isprintable() or c in "\n\t " else "\N{REPLACEMENT CHARACTER}" for c in text)
