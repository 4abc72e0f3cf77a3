"""What a call into a submission came to, in a form that can be compared: structure as text, numbers as
tensors."""

from __future__ import annotations

import hashlib
import math
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
    """`form`: kinds, shapes, dtypes, exceptions, and where NaN, infinite and giant numbers are.
    `numbers`: all other values in one row, float64; 0 where `form` says it all."""

    form: str
    numbers: Tensor | None = None
    tolerance: float = 1e-4  # of the coarsest dtype in it, relative to `scale`
    scale: float = 1.0  # the largest number, at least 1

    def same(self, other: Seen) -> bool:
        """Equal up to rounding; NaN equals NaN."""
        if self.form != other.form:
            return False
        if self.numbers is None or other.numbers is None:
            return self.numbers is other.numbers
        allowed = max(self.tolerance, other.tolerance) * max(self.scale, other.scale)
        return float((self.numbers - other.numbers).abs().max()) <= allowed


# More numbers than any right answer to a probe has are not looked at: their count says enough, and the
# time and memory to compare millions is the judge's own.
MOST = 1 << 14

# Beyond it a number counts by its sign and its power of two: no score or value of a probe is so large
GIANT = 1e6


def _seen(forms: list[str], parts: list[Tensor], tolerance: float) -> Seen:
    """One Seen of everything found in a value."""
    if (count := sum(p.numel() for p in parts)) > MOST:
        return Seen(" ".join([*forms, f"{count} numbers"]))
    numbers = torch.cat(parts) if parts else torch.empty(0, dtype=torch.float64)
    if not numbers.numel():
        return Seen(" ".join(forms))
    odd = ~(numbers.abs() <= GIANT)  # NaN and infinities too
    if bool(odd.any()):
        where = odd.nonzero().flatten().tolist()
        kinds = [_kind(x) for x in numbers[odd].tolist()]
        digest = hashlib.sha256(repr((where, kinds)).encode()).hexdigest()[:16]
        forms = [*forms, f"odd {len(where)} {digest}"]
        numbers = numbers.masked_fill(odd, 0.0)
    return Seen(" ".join(forms), numbers, tolerance, max(1.0, float(numbers.abs().max())))


def _kind(x: float) -> str:
    if math.isnan(x):
        return "nan"
    return f"{x}" if math.isinf(x) else f"{x > 0} {round(math.log2(abs(x)))}"


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
        return Seen(
            f"raised while loading {fault.kind}" if fault.where == "load" else f"raised {fault.kind}: {text}"
        )
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
    return _seen(forms, numbers, max(coarsest))


def _walk(value: Any, forms: list[str], numbers: list[Tensor], coarsest: list[float]) -> None:
    if isinstance(value, Seen):  # a part that was looked at before
        forms.append(f"<{value.form}>")
        if value.numbers is not None:
            numbers.append(value.numbers)
        coarsest.append(value.tolerance)
    elif isinstance(value, Tensor):
        forms.append(f"{value.dtype}{tuple(value.shape)}".removeprefix("torch."))
        if value.numel() > MOST:
            forms.append("too many numbers")
        elif value.device.type == "cpu":
            numbers.append(value.detach().to(torch.float64).flatten())
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
