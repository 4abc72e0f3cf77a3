"""The judge's side of callbacks: a worker's question is checked, then the judge's object answers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import wire
from .callback import Form, Parameter
from .tensors import load as load_tensors
from .values import Decoder, Encoder

# What the judge's object may raise over what it was fed: passed on to the student's code.
PASSED_ON = (ValueError, TypeError, LookupError, RuntimeError, AttributeError, ArithmeticError)
MAX_ASKS = 256  # calls of it in one call of the student's code (honest: 20); the judge pays for each
FLOOD = 2 * MAX_ASKS  # who goes on asking all the same is not answered any more


class Answers:
    """Answers the questions of one call of the student's code (see session.Answer)."""

    def __init__(self, form: Form, asked: Sequence[Any]) -> None:
        """asked: the judge's objects, in the order of their numbers."""
        self._form, self._objects = form, asked
        self._asked = 0

    def __call__(self, question: dict[str, Any], data: memoryview) -> tuple[dict[str, Any], bytes]:
        """A worker's frame -> the answer. Raises wire.ProtocolError, and what is not in PASSED_ON."""
        number = question.get("ask")
        if type(number) is not int or not 0 <= number < len(self._objects):
            raise wire.ProtocolError("a question to nobody")
        args = Decoder(load_tensors(data)).decode(question.get("v"))
        if type(args) is not tuple or len(args) != len(self._form.parameters):
            raise wire.ProtocolError("a question of another form")
        try:
            self._check(args)
            value = self._objects[number](*args)
        except PASSED_ON as error:
            return {"ok": False, "kind": type(error).__name__, "text": str(error)[:1000]}, b""
        encoder = Encoder(max_bytes=wire.REQUEST.blob)
        tree = encoder.encode(value)
        return {"ok": True, "v": tree}, encoder.blob()

    def _check(self, args: tuple[Any, ...]) -> None:
        """Raises TypeError, ValueError or RuntimeError, for the student's code, over what is not taken."""
        self._asked += 1
        if self._asked > FLOOD:
            raise wire.ProtocolError(f"the {self._form.name} was called {self._asked} times")
        if self._asked > MAX_ASKS:
            raise RuntimeError(f"the {self._form.name} was called more than {MAX_ASKS} times")
        for parameter, value in zip(self._form.parameters, args, strict=True):
            if why := wrong(parameter, value):
                raise TypeError(f"{self._form.call}: {parameter.name} {why}")
            if parameter.most and isinstance(value, Tensor) and value.numel() > parameter.most:
                raise ValueError(f"{self._form.call}: {parameter.name} has {value.numel()} entries at once")


def wrong(parameter: Parameter, value: object) -> str:
    """What an argument should have been, when it is something else; or ""."""
    if parameter.type == "int" and type(value) is not int:
        return "must be an int"
    if parameter.type != "int tensor":
        return ""
    fits = isinstance(value, Tensor) and value.device.type == "cpu" and value.dim() == len(parameter.axes)
    if not fits or (isinstance(value, Tensor) and value.is_floating_point()):
        return f"must be a tensor of whole numbers, ({', '.join(parameter.axes)})"
    return ""


def is_callback(value: object) -> bool:
    """Whether an argument is an object of the judge's that the submission may call."""
    return callable(value) and not isinstance(value, Tensor | torch.nn.Module | type)
