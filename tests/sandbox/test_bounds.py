"""Nothing of a size that may cross takes many times as long to read as an honest reply of that size."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.sandbox import tensors, wire
from autograder.sandbox.values import MAX_NODES, Decoder, Encoder
from autograder.sandbox.wire import REPLY, ProtocolError

TIMES, AT_LEAST = 10, 0.05  # times the honest one; seconds that no clock can be trusted below
SIZE = REPLY.header


def _read(header: bytes, blob: bytes) -> None:
    """Everything that the judge does with a reply before anybody looks at the value."""
    with contextlib.suppress(ProtocolError):
        tree = wire.parse_header(header)["v"]
        Decoder(tensors.load(blob)).decode(tree)


def _seconds(header: bytes, blob: bytes) -> float:
    def once() -> float:
        began = time.process_time()
        _read(header, blob)
        return time.process_time() - began

    return min(once() for _ in range(3))


def _honest() -> tuple[bytes, bytes]:
    """A reply as large as may be: lists of numbers in the header, and as many tensors as fit."""
    encoder = Encoder()
    tree = encoder.encode([[0.1 * i] * 40 for i in range(300)] + [torch.ones(64, 64) for _ in range(500)])
    return json.dumps({"v": tree}).encode(), encoder.blob()


def _fill(piece: str, close: str = "", size: int = SIZE) -> bytes:
    return ('{"v":' + piece * (size // len(piece)) + close + "}").encode()


def _many(entry: Callable[[int], Any]) -> bytes:
    """A blob whose header is as long as it may be."""
    header, i = {}, 0
    while len(json.dumps(header)) < tensors.MAX_HEADER - 200:
        header.update({f"{i + j}": entry(i + j) for j in range(40)})
        i += 40
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text


EMPTY = (b'{"v":null}', b"")
ABSURD: dict[str, tuple[bytes, bytes]] = {
    "deep lists": (_fill("["), b""),
    "deep and closed": (b'{"v":' + b"[" * 900 + b"]" * 900 + b"}", b""),
    "deep dicts": (_fill('{"$u":[', "]}"), b""),
    "one long number": (_fill("1"), b""),
    "many numbers": (_fill("1" * 19 + ",", "1", SIZE).replace(b'"v":', b'"v":[', 1)[:-1] + b"]}", b""),
    "one long float": (_fill("1", ".5"), b""),
    "hex": (json.dumps({"v": {"$f": "0x" + "f" * SIZE}}).encode(), b""),
    "exponents": (json.dumps({"v": [{"$f": "0x1p999999999"}] * 9000}).encode(), b""),
    "one long text": (json.dumps({"v": "x" * SIZE}).encode(), b""),
    "escapes": (json.dumps({"v": "\ud800" * (SIZE // 6)}).encode(), b""),
    "many keys": (json.dumps({"v": {str(i): 0 for i in range(SIZE // 10)}}).encode(), b""),
    "keys of a dict": (json.dumps({"v": {"$d": [[i, 0] for i in range(19_000)]}}).encode(), b""),
    "the same key": (_fill('"a":1,', '"a":1}').replace(b'"v":', b'"v":{', 1), b""),
    "blanks": (b'{"v":' + b" " * SIZE + b"1}", b""),
    "cut off": (json.dumps({"v": [{"$m": ["F32", [1 << 13]]}] * (MAX_NODES - 2)})[:SIZE].encode(), b""),
    "large metas": (json.dumps({"v": [{"$m": ["F32", [1 << 13] * 2]}] * 6000}).encode(), b""),
    "a tensor again and again": (
        json.dumps({"v": [{"$t": "0"}] * 15_000}).encode(),
        tensors.save({"0": torch.zeros(1 << 20)}),
    ),
    "many empty tensors": (EMPTY[0], _many(lambda i: {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]})),
    "wide empty tensors": (
        EMPTY[0], _many(lambda i: {"dtype": "F32", "shape": [0, 1 << 26], "data_offsets": [0, 0]})
    ),
    "long names": (EMPTY[0], _many(lambda i: {"dtype": "F" * 500, "shape": [], "data_offsets": [0, 0]})),
    "long shapes": (EMPTY[0], _many(lambda i: {"dtype": "F32", "shape": [1] * 300, "data_offsets": [0, 0]})),
    "one large tensor": (EMPTY[0], tensors.save({"0": torch.zeros(1 << 21)})),
    "one wrong bool": (EMPTY[0], tensors.save({"0": torch.ones(1 << 22, dtype=torch.bool)})[:-1] + b"\2"),
    "zeros": (bytes(SIZE), bytes(1 << 22)),
}  # fmt: skip


@pytest.fixture(scope="module")
def honest() -> float:
    return max(_seconds(*_honest()), AT_LEAST / TIMES)


@pytest.mark.parametrize("what", ABSURD)
def test_reading_takes_no_longer_than_an_honest_reply_of_that_size(honest: float, what: str) -> None:
    assert _seconds(*ABSURD[what]) < TIMES * honest


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
    | st.sampled_from([{"$t": "0"}, {"$t": "1"}, {"$l": [{"$t": "0"}, {"$t": "1"}]}, {"$l": [None, None]}]),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(
        st.sampled_from(["$t", "$m", "$f", "$u", "$d", "$h", "$l", "$j", "$s"]) | st.text(max_size=3), inner,
        max_size=3,
    ),
    max_leaves=40,
)  # fmt: skip


@given(junk, st.binary(max_size=200))
@settings(deadline=None, max_examples=400)
def test_any_reply_is_read_or_refused(tree: Any, data: bytes) -> None:
    """Of every kind of reader: the judge's, and the worker's with layers, handles and callbacks."""
    for blob in (data, len(data).to_bytes(8, "little") + data):
        worker = {"linear": True, "handle": lambda n: n, "callback": lambda n, p: (n, p)}
        for how in ({}, {"same": True}, worker):
            with contextlib.suppress(ProtocolError):
                header = wire.parse_header(json.dumps({"v": tree}).encode())
                with contextlib.suppress(ProtocolError):
                    tensors.load(blob)
                Decoder({"0": torch.zeros(2, 3), "1": torch.zeros(3)}, **how).decode(header["v"])  # type: ignore[arg-type]


def test_a_tensor_is_named_once() -> None:
    decoder = Decoder({"0": torch.zeros(1)})
    assert decoder.decode({"$t": "0"}).shape == (1,)
    with pytest.raises(ProtocolError):
        decoder.decode({"$t": "0"})
