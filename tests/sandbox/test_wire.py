"""Frames and JSON: what is written is read back, and no bytes whatever do anything but read or be refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.sandbox import wire

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(), plain, max_size=5), st.binary(max_size=200))
def test_a_frame_comes_back(header: dict[str, object], blob: bytes) -> None:
    raw = wire.pack(header, blob)
    size = wire.PREFIX.size
    length, rest = wire.sizes(raw[:size], wire.REPLY)
    assert wire.parse_header(raw[size : size + length]) == header
    assert raw[size + length :] == blob
    assert rest == len(blob)


@given(st.binary(min_size=wire.PREFIX.size, max_size=wire.PREFIX.size))
def test_no_prefix_gets_past_the_caps(prefix: bytes) -> None:
    for start in (prefix, wire.MAGIC + prefix[4:]):
        try:
            header, blob = wire.sizes(start, wire.REPLY)
        except wire.ProtocolError:
            continue
        assert header <= wire.REPLY.header
        assert blob <= wire.REPLY.blob


@given(
    st.binary(max_size=300)
    | st.text(alphabet='[]{}",:0123456789eE.-NaInfity\\u ', max_size=300).map(str.encode)
)
def test_any_bytes_are_json_or_a_protocol_error(raw: bytes) -> None:
    try:
        value = wire.strict_json(raw)
    except wire.ProtocolError:
        return
    assert value == json.loads(raw)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":1,"a":2}',
        b'{"a":{"b":1,"b":1}}',
        b"NaN",
        b"[Infinity]",
        b"-Infinity",
        b"1.5",
        b"1e5",
        b"1" + b"0" * 100_000,
        b"-" + b"9" * 21,
        b"[" * 200_000,
        b'{"a":' * 50_000,
        b"\xff",
        b"",
        b"[1,]",
        b"[]x",
    ],
)
def test_json_that_is_refused(raw: bytes) -> None:
    with pytest.raises(wire.ProtocolError):
        wire.strict_json(raw)


def test_a_header_is_a_dict() -> None:
    with pytest.raises(wire.ProtocolError):
        wire.parse_header(b"[]")


def test_what_is_too_large_is_not_sent() -> None:
    with pytest.raises(wire.ProtocolError):
        wire.pack({"a": "x" * 300_000}, caps=wire.REPLY)


@given(st.text(st.characters(), max_size=100) | st.just("\ud800\x1b[2J\x00\u202e"))
def test_cleaned_text_can_be_written_anywhere(text: str) -> None:
    cleaned = wire.clean(text, 50)
    cleaned.encode("utf-8")
    assert len(cleaned) <= 50
    assert not any(c in cleaned for c in "\x00\x1b\r\u202e")
