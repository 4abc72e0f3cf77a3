"""The safetensors format, against the safetensors package, and against bytes that lie."""

from __future__ import annotations

import contextlib

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
    "shape", [[0, 1 << 40, 1 << 40], [-1], [True], [1.5], "3", None, [1] * 9, [1 << 60, 1 << 60], [[1]]]
)
def test_shapes_that_are_refused(shape: object) -> None:
    with pytest.raises(ProtocolError):
        tensors.shape_of(shape)
