"""Python values <-> a JSON tree and tensors beside it. Used on both sides of the wire.

In a tree, None, bool, int and str stand for themselves and a list for a list; the rest is a dict of one key:

{"$t": "0"}                  tensor 0 of the blob
{"$p": ["0", axes]}          tensor 0 of the blob, its axes exchanged; only from the judge
{"$m": [dtype, shape]}       a meta tensor
{"$f": hex}                  a float
{"$u": [...]}                a tuple
{"$d": [[key, value], ...]}  a dict
{"$h": 7}                    an object kept in the worker
{"$l": [weight, bias]}       an nn.Linear
{"$j": [0, [64]]}            a callback of the judge's: its number, and its attributes
{"$s": 1}                    the same object that you sent
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from . import tensors as blobs
from .wire import REPLY, ProtocolError

MAX_NODES = 20_000
MAX_DEPTH = 32
MAX_STR = 64 << 10
MAX_INT = 1 << 63


class Unsendable(Exception):
    """A value that does not cross the wire; the text names its type."""


class Same:
    """Stands for an argument that is not sent back."""


SAME = Same()


class Encoder:
    """Turns values into a tree, gathering the tensors in `tensors`.

    `special`: may answer for objects of its own with a tree, or None. `linear`: takes an nn.Linear.
    """

    def __init__(
        self,
        special: Callable[[object], Any] | None = None,
        max_bytes: int = REPLY.blob,
        linear: bool = False,
    ) -> None:
        self.tensors: dict[str, Tensor] = {}
        self._special, self._linear = special, linear
        self._left = MAX_NODES
        self._bytes = max_bytes

    def blob(self) -> bytes:
        """The gathered tensors as one safetensors blob."""
        return blobs.save(self.tensors)

    def encode(self, value: Any, depth: int = 0) -> Any:
        """One value -> tree. Raises Unsendable. Subclasses become what they extend; type() cannot lie."""
        self._left -= 1
        if self._left < 0:
            raise Unsendable(f"more than {MAX_NODES} values")
        if depth > MAX_DEPTH:
            raise Unsendable(f"a value nested more than {MAX_DEPTH} deep")
        if self._special is not None and (tree := self._special(value)) is not None:
            return tree
        kind = type(value)
        if value is None or kind is bool:
            return value
        if value is SAME:
            return {"$s": 1}
        if issubclass(kind, Tensor):
            return self._tensor(value)
        if issubclass(kind, int):
            return self._int(value)
        if issubclass(kind, float):
            return {"$f": float.__float__(value).hex()}
        if issubclass(kind, str):
            return self._str(value)
        if issubclass(kind, tuple):
            return {"$u": [self.encode(v, depth + 1) for v in tuple.__iter__(value)]}
        if issubclass(kind, list):
            return [self.encode(v, depth + 1) for v in list.__iter__(value)]
        if issubclass(kind, dict):
            return {"$d": [[self._key(k), self.encode(v, depth + 1)] for k, v in dict.items(value)]}
        if self._linear and issubclass(kind, nn.Linear):
            return {
                "$l": [self._tensor(value.weight), None if value.bias is None else self._tensor(value.bias)]
            }
        raise Unsendable(kind.__name__)

    def _key(self, key: object) -> str | int:
        if issubclass(type(key), str):
            return self._str(key)
        if issubclass(type(key), int) and type(key) is not bool:
            return self._int(key)
        raise Unsendable(f"dict with a key of type {type(key).__name__}")

    @staticmethod
    def _int(value: Any) -> int:
        plain = int.__int__(value)
        if not -MAX_INT <= plain < MAX_INT:
            raise Unsendable("int of more than 64 bits")
        return plain

    @staticmethod
    def _str(value: Any) -> str:
        if str.__len__(value) > MAX_STR:
            raise Unsendable("very long str")
        return str.__str__(value)

    def _tensor(self, value: Tensor) -> Any:
        with torch._C.DisableTorchFunctionSubclass():
            if value.is_nested:
                raise Unsendable("nested Tensor")
            if value.layout != torch.strided:
                raise Unsendable(f"Tensor of layout {value.layout}")
            if value.is_quantized:
                raise Unsendable("quantized Tensor")
            plain = value.detach().as_subclass(Tensor)
            if plain.dtype not in blobs.NAMES:
                raise Unsendable(f"Tensor of {plain.dtype}")
            if plain.dim() > blobs.MAX_RANK:
                raise Unsendable(f"Tensor of {plain.dim()} axes")
            meta = plain.device.type == "meta"
            if (meta or not plain.numel()) and blobs.entries(plain.shape) > blobs.MAX_ENTRIES:
                raise Unsendable(f"Tensor of shape {tuple(plain.shape)}")
            if meta:
                return {"$m": [blobs.NAMES[plain.dtype], list(plain.shape)]}
            # Before contiguous(): an expand() of one number may stand for terabytes.
            self._bytes -= plain.numel() * plain.element_size()
            if self._bytes < 0 or len(self.tensors) >= blobs.MAX_TENSORS:
                raise Unsendable("more tensor data than fits")
            name = str(len(self.tensors))
            if self._linear and (axes := _exchanged(plain)):
                self.tensors[name] = plain.permute(axes)
                return {"$p": [name, [axes.index(i) for i in range(len(axes))]]}
            self.tensors[name] = plain.cpu()
            return {"$t": name}


def _exchanged(tensor: Tensor) -> list[int]:
    """The order in which its axes lie in memory, where that is another one than it has; [] otherwise."""
    axes = sorted(range(tensor.dim()), key=lambda axis: -tensor.stride()[axis])
    return [] if tensor.is_contiguous() or not tensor.permute(axes).is_contiguous() else axes


def sendable(tensor: Tensor) -> bool:
    """Whether a tensor is of a kind that crosses the wire."""
    try:
        Encoder().encode(tensor)
    except Unsendable:
        return False
    return True


class Decoder:
    """Turns a tree back into values. Handles, callbacks, … only where the caller expects them."""

    def __init__(
        self,
        tensors: Mapping[str, Tensor],
        handle: Callable[[int], Any] | None = None,
        callback: Callable[[int, list[int]], Any] | None = None,
        linear: bool = False,
        same: bool = False,
    ) -> None:
        # Each is named once, as the Encoder does: small bytes shall not stand for many large tensors.
        self._tensors = dict(tensors)
        self._handle, self._callback = handle, callback
        self._linear, self._same = linear, same
        self._left = MAX_NODES

    def decode(self, tree: Any, depth: int = 0) -> Any:
        """One tree -> value. Raises ProtocolError."""
        self._left -= 1
        if self._left < 0 or depth > MAX_DEPTH:
            raise ProtocolError("too many values or too deep")
        if tree is None or type(tree) in (bool, str):
            return tree
        if type(tree) is int:
            if not -MAX_INT <= tree < MAX_INT:
                raise ProtocolError("a very large int")
            return tree
        if type(tree) is list:
            return [self.decode(t, depth + 1) for t in tree]
        if type(tree) is dict and len(tree) == 1:
            ((key, inner),) = tree.items()
            return self._one(key, inner, depth)
        raise ProtocolError("unknown form of value")

    def _one(self, key: str, inner: Any, depth: int) -> Any:
        if key == "$t" and type(inner) is str and inner in self._tensors:
            return self._tensors.pop(inner)
        if key == "$p" and self._linear and type(inner) is list and len(inner) == 2:
            return self._tensors.pop(inner[0]).permute(inner[1])
        if key == "$m" and type(inner) is list and len(inner) == 2:
            if type(inner[0]) is not str or inner[0] not in blobs.DTYPES:
                raise ProtocolError("meta tensor: dtype")
            return torch.empty(blobs.shape_of(inner[1]), dtype=blobs.DTYPES[inner[0]], device="meta")
        if key == "$f" and type(inner) is str and len(inner) <= 40:
            try:
                return float.fromhex(inner)
            except (ValueError, OverflowError):
                raise ProtocolError("float form") from None
        if key == "$u" and type(inner) is list:
            return tuple(self.decode(t, depth + 1) for t in inner)
        if key == "$d" and type(inner) is list:
            return self._dict(inner, depth)
        if key == "$h" and type(inner) is int and self._handle is not None:
            return self._handle(inner)
        if key == "$s" and self._same:
            return SAME
        if key == "$l" and self._linear and type(inner) is list and len(inner) == 2:
            weight, bias = (self.decode(one, depth + 1) for one in inner)
            if not _fit(weight, bias):
                raise ProtocolError("layer form")
            return linear(weight, bias)
        if key == "$j" and self._callback is not None and type(inner) is list and len(inner) == 2:
            return self._callback(inner[0], inner[1])
        raise ProtocolError("unknown form of value")

    def _dict(self, pairs: list[Any], depth: int) -> dict[Any, Any]:
        out: dict[Any, Any] = {}
        for pair in pairs:
            if type(pair) is not list or len(pair) != 2 or type(pair[0]) not in (str, int) or pair[0] in out:
                raise ProtocolError("dict form")
            out[pair[0]] = self.decode(pair[1], depth + 1)
        return out


def without_numbers(value: object) -> bool:
    """Whether a tensor (or an nn.Linear, or a device) named in it is "meta"."""
    if isinstance(value, torch.Tensor | torch.device):
        return (value if isinstance(value, torch.device) else value.device).type == "meta"
    if isinstance(value, nn.Linear):
        return value.weight.device.type == "meta"
    if isinstance(value, list | tuple):
        return any(without_numbers(v) for v in value)
    if isinstance(value, dict):
        return any(without_numbers(v) for v in value.values())
    return value == "meta" if isinstance(value, str) else False


def _fit(weight: Any, bias: Any) -> bool:
    """Whether they are the weights of one layer."""
    if not isinstance(weight, Tensor) or weight.dim() != 2 or not weight.is_floating_point():
        return False
    if bias is None:
        return True
    return isinstance(bias, Tensor) and bias.shape == weight.shape[:1] and bias.is_floating_point()


def linear(weight: Tensor, bias: Tensor | None) -> nn.Linear:
    """An nn.Linear of these weights: (out, in) and (out,) or None."""
    module = nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None, device="meta")
    module.weight = nn.Parameter(weight)
    if bias is not None:
        module.bias = nn.Parameter(bias)
    return module.eval()
