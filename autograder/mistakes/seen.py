"""What a call into a submission came to, in a form that can be compared: structure as text, numbers as tensors."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from autograder.sandbox.errors import (
    NotWritten,
    StudentDied,
    StudentFault,
    StudentRaised,
    StudentTimeout,
)

COARSE = {torch.bfloat16: 3e-2, torch.float16: 4e-3}


@dataclass(frozen=True)
class Seen:
    """`form`: kinds, shapes, dtypes, exceptions. `numbers`: every tensor's values, in order, in float64."""

    form: str
    numbers: tuple[Tensor, ...] = ()
    tolerance: float = 1e-4  # of the coarsest tensor in it

    def same(self, other: Seen) -> bool:
        """Equal up to rounding; NaN equals NaN."""
        if self.form != other.form:
            return False
        tolerance = max(self.tolerance, other.tolerance)
        return all(_close(a, b, tolerance) for a, b in zip(self.numbers, other.numbers, strict=True))


def _close(a: Tensor, b: Tensor, tolerance: float) -> bool:
    finite = b[torch.isfinite(b)]
    biggest = float(finite.abs().max()) if finite.numel() else 0.0
    return torch.allclose(a, b, rtol=tolerance, atol=tolerance * max(1.0, biggest), equal_nan=True)


NOT_RUN = Seen("not run")
NOT_WRITTEN = Seen("not written")


def look(call: Callable[[], Any]) -> Seen:
    """Calls, and says what came of it. Raises GraderFault only."""
    try:
        return of_value(call())
    except StudentFault as fault:
        return of_fault(fault)


def of_fault(fault: StudentFault) -> Seen:
    """An exception: its kind and what it says, without addresses."""
    if isinstance(fault, NotWritten):
        return NOT_WRITTEN
    if isinstance(fault, StudentRaised):
        text = re.sub(r"0x[0-9a-fA-F]+", "0x", fault.text.strip())[:200]
        return Seen(f"raised while loading {fault.kind}" if fault.where == "load" else f"raised {fault.kind}: {text}")
    if isinstance(fault, StudentTimeout):
        return Seen("timeout")
    if isinstance(fault, StudentDied):
        return Seen(f"died {fault.how}")
    return Seen("bad reply")


def raises(call: Callable[[], Any]) -> Seen:
    """Whether it raises at all, whatever kind: for inputs that must be refused."""
    seen = look(call)
    return Seen("refused") if seen.form.startswith("raised ") else seen


def of_value(value: Any) -> Seen:
    """Any value that can cross from a submission."""
    forms: list[str] = []
    numbers: list[Tensor] = []
    coarsest = [1e-4]
    _walk(value, forms, numbers, coarsest)
    return Seen(" ".join(forms), tuple(numbers), max(coarsest))


def _walk(value: Any, forms: list[str], numbers: list[Tensor], coarsest: list[float]) -> None:
    if isinstance(value, Seen):  # a part that was looked at before
        forms.append(f"<{value.form}>")
        numbers.extend(value.numbers)
        coarsest.append(value.tolerance)
    elif isinstance(value, Tensor):
        forms.append(f"{value.dtype}{tuple(value.shape)}".removeprefix("torch."))
        if value.device.type == "cpu":
            numbers.append(value.detach().to(torch.float64))
            coarsest.append(COARSE.get(value.dtype, 0.0))
        else:
            forms.append(str(value.device.type))
    elif isinstance(value, list | tuple):
        forms.append("(")
        for item in value:
            _walk(item, forms, numbers, coarsest)
        forms.append(")")
    elif value is None or isinstance(value, bool | int | str):
        forms.append(repr(value)[:200])
    elif isinstance(value, float):
        numbers.append(torch.tensor([value], dtype=torch.float64))
        forms.append("float")
    else:
        forms.append(type(value).__name__)


__all__ = ["NOT_RUN", "NOT_WRITTEN", "Seen", "look", "of_fault", "of_value", "raises"]
