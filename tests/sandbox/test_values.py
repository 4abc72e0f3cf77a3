"""Values: what crosses comes back plain; what does not is named; any tree is decoded or refused."""

from __future__ import annotations

import math
from collections import OrderedDict, namedtuple
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from autograder.sandbox.tensors import load
from autograder.sandbox.values import SAME, Decoder, Encoder, Unsendable
from autograder.sandbox.wire import ProtocolError, pack, parse_header, sizes


def cross(value: Any, **how: Any) -> Any:
    """There and back, through real bytes."""
    encoder = Encoder(linear=True)
    tree = encoder.encode(value)
    raw = pack({"v": tree}, encoder.blob())
    length, _ = sizes(
        raw[:16], how.pop("caps", None) or __import__("autograder.sandbox.wire").sandbox.wire.REQUEST
    )
    return Decoder(load(raw[16 + length :]), **how).decode(parse_header(raw[16 : 16 + length])["v"])


leaves = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text() | st.integers(-5, 5), inner, max_size=4)
    ),
    max_leaves=20,
)


def exactly(a: Any, b: Any) -> bool:
    """Equal, and of the same types all the way down."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(exactly, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(exactly(a[k], b[k]) for k in a)
    return bool(a == b)


@given(values)
@settings(deadline=None)
def test_plain_values_come_back_exactly(value: Any) -> None:
    assert exactly(cross(value), value)


def test_not_a_number_comes_back() -> None:
    assert math.isnan(cross(float("nan")))
    assert cross((float("inf"), -float("inf"))) == (math.inf, -math.inf)


def test_tensors_come_back_where_they_were() -> None:
    x, flag = torch.randn(2, 3), torch.tensor([True, False])
    got = cross({"a": [x, (flag, 1)], "b": torch.empty(4, 5, dtype=torch.bfloat16, device="meta")})
    assert got["a"][0].equal(x)
    assert got["a"][1][0].equal(flag)
    assert got["b"].device.type == "meta"
    assert got["b"].shape == (4, 5)
    assert got["b"].dtype == torch.bfloat16


def test_subclasses_become_what_they_extend() -> None:
    class Number(float):
        def hex(self) -> str:
            return "0x1p0"

    pair = namedtuple("pair", "a b")
    got = cross([pair(1, Number(2.5)), OrderedDict(k=nn.Parameter(torch.ones(2))), torch.Size([3])])
    assert exactly(got[0], (1, 2.5))
    assert type(got[1]) is dict
    assert type(got[1]["k"]) is torch.Tensor
    assert not got[1]["k"].requires_grad
    assert exactly(got[2], (3,))


def test_a_linear_layer_is_rebuilt_when_it_may_be() -> None:
    layer = nn.Linear(3, 5, dtype=torch.float64)
    got = cross([layer, nn.Linear(2, 2, bias=False)], linear=True)
    x = torch.randn(4, 3, dtype=torch.float64)
    assert got[0](x).equal(layer(x))
    assert got[1].bias is None
    with pytest.raises(ProtocolError):
        cross(layer)


@pytest.mark.parametrize(
    "value",
    [
        object(),
        nn.Linear(2, 2),
        1 << 64,
        1j,
        b"bytes",
        {1.5: 2},
        {(1, 2): 3},
        (i for i in range(3)),
        torch.zeros(2, dtype=torch.complex64),
        torch.zeros(3, 3).to_sparse(),
        torch.zeros(1).expand(1 << 40),
        torch.zeros([1] * 9),
        nn.ReLU(),
        "x" * 70_000,
        [0] * 30_000,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_does_not_cross(value: Any) -> None:
    with pytest.raises(Unsendable):
        Encoder().encode(value)


def test_a_list_that_holds_itself_does_not_cross() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(Unsendable, match="nested"):
        Encoder().encode(endless)


trees = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["$t", "$m", "$f", "$u", "$d", "$h", "$l", "$j", "$s", "x"]), inner, max_size=2
        )
    ),
    max_leaves=15,
)


@given(trees)
@settings(deadline=None, max_examples=300)
def test_any_tree_is_a_value_or_a_protocol_error(tree: Any) -> None:
    try:
        value = Decoder({"0": torch.zeros(1)}).decode(tree)
    except ProtocolError:
        return
    Encoder().encode(value)


@pytest.mark.parametrize(
    "tree", [{"$h": 1}, {"$s": 1}, {"$l": [None, None]}, {"$j": [0, 1]}, {"$t": "1"}, 1.5]
)
def test_forms_that_a_reply_may_not_have(tree: Any) -> None:
    with pytest.raises(ProtocolError):
        Decoder({"0": torch.zeros(1)}).decode(tree)


def test_the_same_object_only_where_it_is_expected() -> None:
    assert Decoder({}, same=True).decode({"$s": 1}) is SAME


@pytest.mark.parametrize("axes", [(0, 2, 1, 3), (3, 2, 1, 0), (1, 0, 3, 2)])
def test_what_the_judge_sends_keeps_the_order_of_its_axes_in_memory(axes: tuple[int, ...]):
    sent = torch.arange(2 * 3 * 4 * 5.0).view(2, 3, 4, 5).permute(axes)
    encoder = Encoder(linear=True)
    tree = encoder.encode([sent])
    (got,) = Decoder(load(encoder.blob()), linear=True).decode(tree)
    assert torch.equal(got, sent)
    assert got.stride() == sent.stride()
    with pytest.raises(ProtocolError):  # a worker's reply is always as it looks
        Decoder(load(encoder.blob())).decode(tree)
