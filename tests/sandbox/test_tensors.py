"""The safetensors format, against the safetensors package, and against bytes that lie."""

from __future__ import annotations

import contextlib
import json

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load as their_load
from safetensors.torch import save as their_save

from autograder.sandbox import tensors
from autograder.sandbox.wire import ProtocolError


@st.composite
def some_tensor(draw: st.DrawFn) -> torch.Tensor:
    """Any dtype that crosses, any small shape, contiguous or not."""
    dtype = draw(st.sampled_from(list(tensors.DTYPES.values())))
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 1000)))
    value = torch.randint(0, 100, shape, generator=generator).to(dtype)
    if value.dim() > 1 and draw(st.booleans()):
        value = value.transpose(0, -1)  # (a, …, z) -> (z, …, a)
    return value


def same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and bool((a == b).all())


@given(st.lists(some_tensor(), max_size=5))
@settings(deadline=None)
def test_tensors_come_back(values: list[torch.Tensor]) -> None:
    named = {str(i): value for i, value in enumerate(values)}
    blob = tensors.save(named)
    got = tensors.load(blob)
    assert set(got) == set(named)
    for name, value in got.items():
        assert same(value, named[name])
        assert value.is_contiguous()
        assert not value.requires_grad
    if named:
        assert all(same(value, named[name]) for name, value in their_load(blob).items())
        theirs = their_save({name: value.contiguous().clone() for name, value in named.items()})
        assert all(same(value, named[name]) for name, value in tensors.load(theirs).items())


def test_special_values_keep_their_bits() -> None:
    value = torch.tensor([float("nan"), float("inf"), -0.0, 1e-45])
    got = tensors.load(tensors.save({"a": value}))["a"]
    assert got.view(torch.int32).equal(value.view(torch.int32))


@given(st.binary(max_size=100), st.integers(0, 60))
@settings(deadline=None)
def test_any_bytes_are_tensors_or_a_protocol_error(junk: bytes, length: int) -> None:
    for blob in (junk, length.to_bytes(8, "little") + junk):
        with contextlib.suppress(ProtocolError):
            tensors.load(blob)


@given(st.data())
@settings(deadline=None, max_examples=200)
def test_a_changed_byte_never_does_worse(data: st.DataObject) -> None:
    blob = bytearray(
        tensors.save({"0": torch.arange(6.0).reshape(2, 3), "1": torch.ones(3, dtype=torch.bool)})
    )
    blob[data.draw(st.integers(0, len(blob) - 1))] = data.draw(st.integers(0, 255))
    try:
        got = tensors.load(blob)
    except ProtocolError:
        return
    assert sum(value.numel() * value.element_size() for value in got.values()) <= len(blob)


def test_a_bool_is_0_or_1() -> None:
    blob = bytearray(tensors.save({"0": torch.ones(4, dtype=torch.bool)}))
    blob[-1] = 2
    with pytest.raises(ProtocolError, match="bool"):
        tensors.load(blob)


@pytest.mark.parametrize(
    "shape",
    [[0, 1 << 40, 1 << 40], [0, 1 << 38], [1 << 27], [1 << 14, 1 << 14], [-1], [True], [1.5], "3", None,
     [1] * 9, [1 << 60, 1 << 60], [[1]]],
)  # fmt: skip
def test_shapes_that_are_refused(shape: object) -> None:
    with pytest.raises(ProtocolError):
        tensors.shape_of(shape)


def _layouts(x: torch.Tensor) -> dict[str, torch.Tensor]:
    """x (3, 4) of float32, lying in memory in many ways, and parts of it."""
    array = x.numpy()
    return {
        "as it is": x,
        "turned": x.t(),
        "every second": x[:, ::2],
        "an offset": x[1:, 1:],
        "expanded": x[:, :1].expand(3, 5),
        "expanded number": torch.tensor(2.0).expand(2, 0, 3),
        "one number, stride 0": x[0, 0].expand(1, 1),
        "one column from numpy": torch.from_numpy(array[:1, 0][:, None]),
        "one row from numpy": torch.from_numpy(array[0, :1][None]),
        "new axes from numpy": torch.from_numpy(array[:, None, :, None]),
        "broadcast by numpy": torch.from_numpy(np.broadcast_to(array[:, :1], (3, 4)).copy()),
        "broadcast view": torch.from_numpy(np.broadcast_to(array[:1, :1], (1, 1)).copy()),
        "turned by numpy": torch.from_numpy(array.T),
        "from numpy, backwards": torch.from_numpy(array[::-1].copy()),
        "Fortran order": torch.from_numpy(np.asfortranarray(array)),
        "a strange stride": x.as_strided((1, 4), (9, 1)),
        "overlapping": x.flatten().as_strided((3, 3), (1, 1)),
        "windows": x.unfold(1, 2, 1),
        "negated view": torch._neg_view(x),
        "imaginary part of a conjugate": torch.complex(x, x).conj().imag,
        "real part": torch.complex(x, x).real,
        "wants gradient": x.clone().requires_grad_(),
        "in a graph": x.clone().requires_grad_() * 2,
        "parameter": torch.nn.Parameter(x),
        "of inference": torch.inference_mode()(lambda: x * 2)(),
        "channels last": x.reshape(1, 3, 2, 2).contiguous(memory_format=torch.channels_last),
        "no numbers": x[:0],
        "no axes": x[0, 0],
        "eight axes": x.reshape(3, 1, 1, 1, 1, 1, 2, 2).transpose(0, 7),
        "shared": x.view(torch.int32),
        "empty, odd strides": x.as_strided((0, 3), (0, 0)),
        "lazy double": x.to(torch.float64).t()[::2],
    }


@pytest.mark.parametrize("name", _layouts(torch.ones(3, 4)))
def test_every_layout_comes_back(name: str) -> None:
    x = torch.arange(12.0).reshape(3, 4)
    value = _layouts(x)[name]
    got = tensors.load(tensors.save({"0": value}))["0"]
    assert got.dtype == value.dtype
    assert got.is_contiguous()
    assert got.equal(value.detach().clone())


@pytest.mark.parametrize("dtype", tensors.DTYPES.values(), ids=str)
def test_every_dtype_comes_back_in_one_column_too(dtype: torch.dtype) -> None:
    for shape, stride in (((1,), (0,)), ((1, 1), (0, 0)), ((2, 1), (1, 0)), ((1, 2), (0, 1))):
        value = torch.tensor([1, 0]).to(dtype).as_strided(shape, stride)
        assert tensors.load(tensors.save({"0": value}))["0"].equal(value)


@given(st.lists(st.integers(-1, 1 << 62) | st.sampled_from([0, 1, 1 << 26, 1 << 27]), max_size=9))
@settings(deadline=None, max_examples=300)
def test_a_shape_that_is_taken_can_be_gone_through(shape: list[int]) -> None:
    """Every row of what crosses may be counted by somebody, be there a number in it or not."""
    with contextlib.suppress(ProtocolError):
        assert tensors.entries(tensors.shape_of(shape)) <= tensors.MAX_ENTRIES


@given(st.lists(st.tuples(st.text(max_size=9), st.sampled_from(["F32", "BOOL", "F8", 3, None]),
                          st.lists(st.integers(-1, 5) | st.just(1 << 40), max_size=4),
                          st.lists(st.integers(-1, 40), min_size=1, max_size=3)), max_size=6),
       st.binary(max_size=64), st.integers(-3, 3))  # fmt: skip
@settings(deadline=None, max_examples=200)
def test_headers_that_lie_are_refused(entries: list, data: bytes, off: int) -> None:
    header = json.dumps({n: {"dtype": d, "shape": s, "data_offsets": o} for n, d, s, o in entries}).encode()
    blob = max(0, len(header) + off).to_bytes(8, "little") + header + data
    with contextlib.suppress(ProtocolError):
        assert sum(t.numel() * t.element_size() for t in tensors.load(blob).values()) <= len(data)
