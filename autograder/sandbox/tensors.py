"""Tensors as bytes in the safetensors format, written and read here, because what is read comes from
strangers.

Every number in a header is checked before anything is allocated; the tensors that come out are plain,
contiguous copies without gradient. `tests/sandbox` checks both directions against the safetensors package.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from .wire import ProtocolError, strict_json

DTYPES: dict[str, torch.dtype] = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
SIZES = {name: dtype.itemsize for name, dtype in DTYPES.items()}
MAX_TENSORS = 512
MAX_HEADER = 64 << 10  # bytes
MAX_RANK = 8
# Of a shape, each axis counted as at least 1: as many entries as a reply has bytes. Bounds also what holds no
# number (device "meta", an axis of length 0), so that nobody counts rows, or lists them, for ever.
MAX_ENTRIES = 1 << 26


def save(tensors: Mapping[str, Tensor]) -> bytes:
    """Names to strided CPU tensors -> one safetensors blob (b"" for none). Raises KeyError for a foreign
    dtype.
    """
    if not tensors:
        return b""
    header: dict[str, Any] = {}
    parts: list[memoryview] = []
    end = 0
    for name, tensor in tensors.items():
        raw = _raw(tensor)
        header[name] = {
            "dtype": NAMES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [end, end + len(raw)],
        }
        end += len(raw)
        parts.append(raw)
    text = json.dumps(header, separators=(",", ":")).encode("ascii")
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])


def _raw(tensor: Tensor) -> memoryview:
    """The bytes of a tensor, in row-major order."""
    if tensor.numel() == 0:
        return memoryview(b"")
    # A new tensor, filled: of one with a single number in it contiguous() would keep any stride, 0 too.
    flat = torch.empty(tensor.numel(), dtype=tensor.dtype)
    flat.view(tensor.shape).copy_(tensor.detach())
    return memoryview(flat.view(torch.uint8).numpy().data)  # (numel,) -> (numel * itemsize,)


def load(blob: bytes | bytearray | memoryview) -> dict[str, Tensor]:
    """A blob -> names to tensors. Raises ProtocolError for anything that is not exactly the format."""
    if not blob:
        return {}
    view = memoryview(blob)
    if len(view) < 8:
        raise ProtocolError("tensor bytes: too short")
    length = int.from_bytes(view[:8], "little")
    if length > MAX_HEADER or length > len(view) - 8:
        raise ProtocolError("tensor bytes: header too long")
    header = strict_json(bytes(view[8 : 8 + length]))
    if type(header) is not dict or not 0 < len(header) <= MAX_TENSORS:
        raise ProtocolError("tensor bytes: header form")
    data = view[8 + length :]
    specs = sorted(
        (_spec(name, entry) for name, entry in header.items()), key=lambda spec: (spec[3], spec[4])
    )
    end = 0
    out: dict[str, Tensor] = {}
    for name, dtype, shape, start, stop in specs:
        if start != end or stop - start != SIZES[dtype] * math.prod(shape) or stop > len(data):
            raise ProtocolError("tensor bytes: places do not fit")
        end = stop
        out[name] = _tensor(data[start:stop], dtype, shape)
    if end != len(data):
        raise ProtocolError("tensor bytes: some belong to no tensor")
    return out


def _spec(name: str, entry: object) -> tuple[str, str, list[int], int, int]:
    """One header entry, checked: (name, dtype, shape, start, stop)."""
    if type(entry) is not dict or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise ProtocolError("tensor bytes: entry form")
    dtype, places = entry["dtype"], entry["data_offsets"]
    if type(dtype) is not str or dtype not in DTYPES:
        raise ProtocolError("tensor bytes: dtype")
    if type(places) is not list or len(places) != 2 or any(type(p) is not int or p < 0 for p in places):
        raise ProtocolError("tensor bytes: places")
    return name, dtype, shape_of(entry["shape"]), places[0], places[1]


def shape_of(value: object) -> list[int]:
    """A shape from strangers, checked. Raises ProtocolError."""
    if type(value) is not list or len(value) > MAX_RANK:
        raise ProtocolError("shape")
    if any(type(extent) is not int or not 0 <= extent <= MAX_ENTRIES for extent in value):
        raise ProtocolError("shape")
    if entries(value) > MAX_ENTRIES:
        raise ProtocolError("shape")
    return value


def entries(shape: Sequence[int]) -> int:
    """How many entries a shape has when an axis of length 0 counts as 1: what it costs to go through it."""
    return math.prod(max(1, extent) for extent in shape)


def _tensor(raw: memoryview, dtype: str, shape: list[int]) -> Tensor:
    """Bytes of the right length -> a tensor of its own memory."""
    if not raw:
        return torch.empty(shape, dtype=DTYPES[dtype])
    flat = torch.frombuffer(bytearray(raw), dtype=torch.uint8)  # (numel * itemsize,)
    if dtype == "BOOL" and int(flat.max()) > 1:  # no honest operation makes such a bool
        raise ProtocolError("tensor bytes: a bool that is neither 0 nor 1")
    return flat.view(DTYPES[dtype]).reshape(shape)  # (numel * itemsize,) -> (numel,) -> shape
