"""What can be done with a submission's code, on Python values. Runs in the worker, and in LocalStudent here.

Values in and out are the caller's to copy; modules, and results that stay here, are
kept by number for as long as this lives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from .values import SAME, sendable

MOST_PARTS = 64  # tensors of a kept result that are looked at
Lookup = Callable[[str], Any]


class Service:
    """Calls into one submission. `lookup` finds a symbol; whatever the student's code raises comes out."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._kept: dict[int, Any] = {}
        self._next = 0

    def keep(self, thing: Any) -> int:
        """Keeps an object and gives its number."""
        self._next += 1
        self._kept[self._next] = thing
        return self._next

    def kept(self, number: int) -> Any:
        """The object of that number. Raises KeyError."""
        return self._kept[number]

    def drop(self, numbers: Sequence[int]) -> None:
        """Forgets objects that nobody will ask for again."""
        for number in numbers:
            self._kept.pop(number, None)

    def call(self, target: str | int, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A function of the submission (by name) or a kept module (by number), without gradients."""
        function = self._target(target)
        with torch.no_grad():
            return function(*args, **kwargs)

    def echo(
        self, target: str | int, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[Any, tuple[Any, ...]]:
        """(value, args after the call); what is not made of plain values comes back as SAME."""
        value = self.call(target, args, kwargs)
        return value, tuple(arg if _is_plain(arg) else SAME for arg in args)

    def build(
        self,
        symbol: str,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        state: Mapping[str, Tensor] | None,
        dtype: str | None,
        device: str | None,
        train: bool,
    ) -> Any:
        """An nn.Module of the submission, with these weights (all of them), dtype ("float64") and device."""
        module = self._lookup(symbol)(*args, **kwargs)
        if not isinstance(module, nn.Module):
            raise TypeError(f"{symbol} must be an nn.Module; it is a {type(module).__name__}")
        if dtype is not None:
            module.to(getattr(torch, dtype))
        if device is not None:
            module.to(device)
        if state is not None and device != "meta":
            with torch.no_grad():
                # What a student added (a mask as a buffer) stays as it is; all of ours must find a place.
                strange = module.load_state_dict(state, strict=False).unexpected_keys
            if strange:
                raise RuntimeError(f"{symbol} has no {', '.join(strange)}: leave __init__ as it is given")
        return module.train(train)

    def gradient(
        self, target: str | int, args: Sequence[Any], kwargs: Mapping[str, Any], wrt: int, cotangent: Tensor
    ) -> Any:
        """d sum(cotangent * f(*args)) / d args[wrt]; zeros where nothing depends on it. What is no tensor
        comes back as it is."""
        function = self._target(target)
        with torch.enable_grad():
            inner = args[wrt].detach().clone().requires_grad_()
            # No leaf goes in: in the middle of a network no input is one, and may be worked on in place.
            out = function(*args[:wrt], inner.clone(), *args[wrt + 1 :], **kwargs)
            if not issubclass(type(out), Tensor):
                return out
            if not out.requires_grad:
                return torch.zeros_like(inner)
            if out.shape != cotangent.shape:
                wanted, found = tuple(cotangent.shape), tuple(out.shape)
                raise ValueError(f"the result should have the shape {wanted}, but it has {found}")
            (grad,) = _pulled_back(out, [inner], cotangent)
        return torch.zeros_like(inner) if grad is None else grad

    def module_gradient(self, target: int, x: Tensor, cotangent: Tensor) -> dict[str, Tensor] | None:
        """d sum(cotangent * module(x)) / d parameter, by name, without those that get none; None where the
        module returns nothing."""
        module = self._kept[target]
        with torch.enable_grad():
            named = [(name, p) for name, p in module.named_parameters() if p.requires_grad]
            out = module(x)
            if out is None or (issubclass(type(out), (str, tuple, list, dict)) and not out):
                return None
            if not issubclass(type(out), Tensor) or not out.requires_grad:
                return {}
            grads = _pulled_back(out, [p for _, p in named], cotangent)
        return {name: grad for (name, _), grad in zip(named, grads, strict=True) if grad is not None}

    def tensors(self, number: int) -> tuple[Tensor, ...] | None:
        """The tensors of a kept result when it is a tuple or list of nothing else."""
        kept = self._kept[number]
        if issubclass(type(kept), (tuple, list)) and 0 < len(kept) <= MOST_PARTS:
            parts = tuple(kept)
            if all(issubclass(type(t), Tensor) and sendable(t) for t in parts):
                return parts
        return None

    def _target(self, target: str | int) -> Any:
        return self._lookup(target) if isinstance(target, str) else self._kept[target]


def _pulled_back(out: Tensor, inputs: Sequence[Tensor], cotangent: Tensor) -> Sequence[Tensor | None]:
    """d sum(cotangent * out) / d each input, None where nothing depends on it."""
    if (out.shape, out.dtype) == (cotangent.shape, cotangent.dtype):
        # A scalar: for a cotangent torch imports sympy, a second in every process that does it.
        return torch.autograd.grad((out * cotangent).sum(), inputs, allow_unused=True)
    return torch.autograd.grad(out, inputs, cotangent, allow_unused=True)  # torch says what does not fit


def _is_plain(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(_is_plain(v) for v in value)
    return value is None or isinstance(value, (Tensor, bool, int, float, str))
