"""Models of the judge's that student code calls from its worker: each question is checked first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from . import wire
from .tensors import load as load_tensors
from .values import Decoder, Encoder

# What a model may raise over what it was fed: passed on to the student's code.
MODEL_ERRORS = (ValueError, TypeError, LookupError, RuntimeError, AttributeError, ArithmeticError)
MAX_IDS = 1 << 14  # tokens in one call of a model
MAX_ASKS = 256  # calls of a model in one call of the student's code (honest: 20); the judge pays for each
FLOOD = 2 * MAX_ASKS  # who goes on asking all the same is not answered any more


class ModelAnswers:
    """Answers the questions of one call of the student's code (see session.Answer)."""

    def __init__(self, models: Sequence[Any]) -> None:
        """models: in the order of their numbers."""
        self._models = models
        self._asked = 0

    def __call__(self, question: dict[str, Any], data: memoryview) -> tuple[dict[str, Any], bytes]:
        """A worker's frame -> the answer. Raises wire.ProtocolError, and what is not in MODEL_ERRORS."""
        number = question.get("ask")
        if type(number) is not int or not 0 <= number < len(self._models):
            raise wire.ProtocolError("a question to nobody")
        args = Decoder(load_tensors(data)).decode(question.get("v"))
        if type(args) is not tuple or len(args) != 3:
            raise wire.ProtocolError("a question of another form")
        ids, cache, start = args
        try:
            self._check(ids, start)
            value = self._models[number](ids, cache=cache, start=start)
        except MODEL_ERRORS as error:
            return {"ok": False, "kind": type(error).__name__, "text": str(error)[:1000]}, b""
        encoder = Encoder(max_bytes=wire.REQUEST.blob)
        tree = encoder.encode(value)
        return {"ok": True, "v": tree}, encoder.blob()

    def _check(self, ids: object, start: object) -> None:
        """Raises TypeError, ValueError or RuntimeError, for the student's code, over what no model takes."""
        self._asked += 1
        if self._asked > FLOOD:
            raise wire.ProtocolError(f"the model was called {self._asked} times")
        if self._asked > MAX_ASKS:
            raise RuntimeError(f"the model was called more than {MAX_ASKS} times")
        if (
            not isinstance(ids, Tensor)
            or ids.device.type != "cpu"
            or ids.is_floating_point()
            or ids.dim() != 2
        ):
            raise TypeError("model(ids, cache, start): ids must be a tensor of whole numbers, (B, m)")
        if ids.numel() > MAX_IDS:
            raise ValueError(f"model(ids, cache, start): {ids.numel()} tokens at once")
        if type(start) is not int:
            raise TypeError("model(ids, cache, start): start must be an int")
