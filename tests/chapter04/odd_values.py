"""Odd things that a function may give back, made from the right value. Runs here and inside a submission."""

from collections import namedtuple

import numpy as np
import torch
from torch import nn


class Equal:
    """Equal to everything, and as long as anything."""

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __hash__(self):
        return 0

    def __bool__(self):
        return True

    def __len__(self):
        return 2

    def __getattr__(self, name):
        return self


class Sub(torch.Tensor):
    """A Tensor by another name."""


class Lying(torch.Tensor):
    """A Tensor that answers no question about itself."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        raise RuntimeError("ask somebody else")


Pair = namedtuple("Pair", ["output", "cache"])


def endless():
    found = []
    found.append(found)
    return found


def endless_dict():
    found = {}
    found["again"] = found
    return found


# What is worth no more than zeros of the right shape.
WORTHLESS = {
    "none": lambda v: None,
    "not_implemented": lambda v: NotImplemented,
    "ellipsis": lambda v: ...,
    "number": lambda v: 3,
    "true": lambda v: True,
    "huge_number": lambda v: 10**4000,
    "not_a_number": lambda v: float("nan"),
    "complex_number": lambda v: 1j,
    "word": lambda v: "tensor",
    "half_a_character": lambda v: "\ud800",
    "bytes": lambda v: b"tensor",
    "empty_tuple": lambda v: (),
    "one": lambda v: (v,),
    "pair": lambda v: (v, v),
    "three": lambda v: [v, v, v],
    "named_tuple": lambda v: Pair(v, v),
    "numbers_in_lists": lambda v: v.tolist(),
    "nested": lambda v: [[v], {1: v}],
    "deep": lambda v: eval("[" * 60 + "]" * 60),
    "in_a_dict": lambda v: {"y": v},
    "odd_keys": lambda v: {(1, 2): v},
    "set": lambda v: {1, 2},
    "generator": lambda v: (x for x in v),
    "iterator": lambda v: iter(v),
    "range": lambda v: range(3),
    "function": lambda v: lambda: v,
    "class": lambda v: torch.Tensor,
    "module": lambda v: nn.Identity(),
    "linear": lambda v: nn.Linear(2, 2),
    "error": lambda v: ValueError("no"),
    "equal_to_all": lambda v: Equal(),
    "endless": lambda v: endless(),
    "endless_dict": lambda v: endless_dict(),
    "array": lambda v: v.detach().float().numpy(),
    "array_number": lambda v: np.float32(1),
    "complex": lambda v: torch.complex(v.float(), v.float()),
    "quantized": lambda v: torch.quantize_per_tensor(v.float(), 0.1, 0, torch.qint8),
    "of_other_lengths": lambda v: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
    "without_numbers": lambda v: v.to("meta"),
    "one_number": lambda v: torch.tensor(1.0),
    "no_numbers": lambda v: v[:0],
    "no_axes_left": lambda v: torch.empty(0),
    "nine_axes": lambda v: v.reshape(v.shape + (1,) * (9 - v.dim())),
    "one_axis_more": lambda v: v[None],
    "one_axis_less": lambda v: v.flatten(0, 1),
    "longer": lambda v: torch.cat([v, v]),
    "lying": lambda v: v.detach().as_subclass(Lying) * 0,
    "terabytes": lambda v: torch.zeros(1).expand(1 << 38),
    "same_numbers": lambda v: v.flatten()[:1].expand(v.shape),
    "nan": lambda v: torch.full(v.shape, float("nan")),
    "infinite": lambda v: torch.full(v.shape, float("inf")),
    "giant": lambda v: torch.full(v.shape, 1e308, dtype=torch.float64),
    "ones": lambda v: torch.ones_like(v),
}
# As worthless, and dear to look at: just below or above what crosses at once.
LARGE = {
    "long_word": lambda v: "x" * (1 << 20),
    "many": lambda v: [0] * 30_000,
    "many_tensors": lambda v: [v] * 600,
    "large": lambda v: torch.zeros(15 << 20),
    "too_large": lambda v: torch.zeros((16 << 20) + 1),
    "many_nan_rows": lambda v: torch.full((4 << 20, 2), float("nan")),
    "many_nan_axes": lambda v: torch.full((*v.shape[:2], 1 << 16, 2), float("nan")),
    "many_sentences": lambda v: v.flatten()[:1].expand(2 << 20, 1, 1),
    "wide_without_rows": lambda v: v.new_empty(0, 1 << 38),
    "rows_without_numbers": lambda v: v.new_empty(2_000_000, 0),
    "axes_without_numbers": lambda v: v.new_empty(1 << 20, 0, 1 << 20),
    "wide_without_memory": lambda v: torch.empty(1 << 30, 1 << 30, device="meta"),
    "long_class_name": lambda v: type("X" * (1 << 20), (), {})(),
    "long_keys": lambda v: {"k" * 60_000 + str(i): v for i in range(4)},
    "many_names": lambda v: dict.fromkeys(map(str, range(100_000)), 0),
    "long_error": lambda v: (_ for _ in ()).throw(ValueError("why? " * (1 << 18))),
    "long_error_name": lambda v: (_ for _ in ()).throw(type("E" * (1 << 18), (Exception,), {})("no")),
    "nested_tuples": lambda v: eval("(" * 30 + ("v," * 50) + ",)" * 30, {"v": v}),
}
# The right numbers as another kind of number: worth what the numbers are worth, and never everything.
OTHER_KIND = {
    "bool": lambda v: v.to(torch.bool),
    "uint8": lambda v: v.to(torch.uint8),
    "int32": lambda v: v.to(torch.int32),
    "half": lambda v: v.to(torch.float16),
    "bfloat16": lambda v: v.to(torch.bfloat16),
    "float8": lambda v: v.float().to(torch.float8_e4m3fn),
    "sparse": lambda v: v.to_sparse(),
    "float64": lambda v: v.to(torch.float64) if v.dtype != torch.float64 else v.float(),
}


def with_stride(v, odd):
    """The same numbers, axes of length 1 with this stride: nothing is ever read by it."""
    v = v.contiguous()
    return v.as_strided(v.shape, [odd if n == 1 else s for n, s in zip(v.shape, v.stride(), strict=True)])


# The right value in other clothes: costs nothing.
RIGHT = {
    "wants_gradient": lambda v: v if v.requires_grad else v.clone().requires_grad_(v.is_floating_point()),
    "every_second": lambda v: torch.stack([v, v], dim=-1)[..., 0],
    "stride_0": lambda v: with_stride(v, 0),
    "stride_7": lambda v: with_stride(v, 7),
    "turned_twice": lambda v: v.transpose(0, -1).contiguous().transpose(0, -1),
    "part": lambda v: torch.cat([v, v])[len(v) :],
    "repeated": lambda v: v[None].expand(3, *v.shape)[1],
    "negated_view": lambda v: torch._neg_view(-v) if v.is_floating_point() and v.device.type == "cpu" else v,
    "subclass": lambda v: v.as_subclass(Sub),
}
# Right values and no way back for a gradient.
NO_GRADIENT = {
    "parameter": lambda v: nn.Parameter(v.detach(), requires_grad=v.is_floating_point()),
    "detached": lambda v: v.detach(),
    "inference": lambda v: torch.inference_mode()(lambda: v.detach().clone())(),
}
# The whole of what attend_with_cache gives, from (output, cache).
PAIRS_RIGHT = {
    "list": lambda out, cache: [out, cache],
    "named_tuple": lambda out, cache: Pair(out, cache),
}
PAIRS_WRONG = {
    "output_alone": lambda out, cache: out,
    "cache_alone": lambda out, cache: cache,
    "other_order": lambda out, cache: (cache, out),
    "flat": lambda out, cache: (out, *cache),
    "dict": lambda out, cache: {"output": out, "cache": cache},
    "generator": lambda out, cache: (x for x in (out, cache)),
    "nothing": lambda out, cache: None,
    "one": lambda out, cache: (out,),
    "empty": lambda out, cache: (),
    "equal_to_all": lambda out, cache: Equal(),
}


class Holder:
    """A cache that is an object, and knows itself."""

    def __init__(self, k, v):
        self.k, self.v, self.me = k, v, self


def around(*things):
    found = list(things)
    found.append(found)
    return found


# (pack, unpack) of K and V: any form is allowed.
CACHES = {
    "list": (lambda k, v: [k, v], lambda c: (c[0], c[1])),
    "dict": (lambda k, v: {"k": k, ("v", 1): v}, lambda c: (c["k"], c["v", 1])),
    "named_tuple": (lambda k, v: Pair(k, v), lambda c: c),
    "object": (lambda k, v: Holder(k, v), lambda c: (c.k, c.v)),
    "function": (lambda k, v: lambda: (k, v), lambda c: c()),
    "endless": (lambda k, v: around(k, v), lambda c: c[:2]),
    "arrays": (
        lambda k, v: (k.view(torch.int16 if k.itemsize == 2 else k.dtype).numpy(), v, k.dtype),
        lambda c: (torch.from_numpy(c[0]).view(c[2]), c[1]),
    ),
    "sparse": (lambda k, v: (k.to_sparse(), v.to_sparse()), lambda c: (c[0].to_dense(), c[1].to_dense())),
    "one_tensor": (lambda k, v: torch.stack([k, v]), lambda c: (c[0], c[1])),
    "complex": (
        lambda k, v: (torch.complex(k.double(), v.double()), torch.complex(v.double(), k.double()), k.dtype),
        lambda c: (c[0].real.to(c[2]), c[0].imag.to(c[2])),
    ),
    "parameters": (lambda k, v: nn.ParameterList([k, v]), lambda c: (c[0].detach(), c[1].detach())),
    "subclass": (lambda k, v: (k.as_subclass(Sub), v.as_subclass(Sub)), lambda c: c),
    "tokens": (
        lambda k, v: [list(k.unbind(2)), list(v.unbind(2))],
        lambda c: (torch.stack(c[0], dim=2), torch.stack(c[1], dim=2)),
    ),
}
CACHES_WRONG = {
    "none": lambda k, v: None,
    "number": lambda k, v: 7,
    "word": lambda k, v: "past",
    "nested_none": lambda k, v: [[None]],
    "pair_of_none": lambda k, v: (None, None),
    "output": lambda k, v: k.sum(),
    "three": lambda k, v: (v, k, (k, v)),
    "function": lambda k, v: lambda: 1,
    "equal_to_all": lambda k, v: Equal(),
    "endless": lambda k, v: endless(),
    "without_numbers": lambda k, v: (k.to("meta"), v.to("meta")),
    "no_numbers": lambda k, v: (k[..., :0], v[..., :0]),
    "nan": lambda k, v: (k * float("nan"), v),
}


class Changing(nn.Linear):
    """A module that says something else about itself each time it is asked."""

    def load_state_dict(self, *args, **kwargs):
        return None

    def named_parameters(self, *args, **kwargs):
        return [(7, self.weight), ("c_attn.weight", 3)]

    def train(self, mode=True):
        return self


# In the place of MultiHeadAttention: what its name may stand for.
CLASSES = {
    "none": None,
    "number": 3,
    "module": nn.Identity(),
    "identity": lambda *args, **kwargs: nn.Identity(),
    "linear": lambda d_model, *args, **kwargs: nn.Linear(d_model, d_model),
    "gives_none": lambda *args, **kwargs: None,
    "gives_a_class": lambda *args, **kwargs: nn.Module,
    "gives_a_function": lambda *args, **kwargs: lambda x: x,
    "plain_class": Equal,
    "no_forward": type(
        "MultiHeadAttention", (nn.Module,), {"__init__": lambda self, *args: nn.Module.__init__(self)}
    ),
    "changing": lambda d_model, *args, **kwargs: Changing(d_model, d_model),
}


def giving(function, odd):
    """The function, its output (of a pair the first) replaced by something odd."""

    def inner(*args, **kwargs):
        right = function(*args, **kwargs)
        return (odd(right[0]), *right[1:]) if isinstance(right, tuple) else odd(right)

    return inner


def pairing(function, pair):
    """attend_with_cache, its pair made anew."""
    return lambda *args, **kwargs: pair(*function(*args, **kwargs))


def keeping(function, pack, unpack):
    """attend_with_cache with another form of cache; unpack: None for one from which there is no way back."""

    def attend_with_cache(attention, x_new, cache=None):
        inner = None if cache is None or unpack is None else tuple(unpack(cache))
        out, (k, v) = function(attention, x_new, inner)
        return out, pack(k, v)

    return attend_with_cache
