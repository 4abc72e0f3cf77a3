"""Values as a page shows them: JSON, "nan" and "inf" as strings, seven digits."""

from __future__ import annotations

import builtins
import math
from typing import Any

import torch
from pydantic import JsonValue
from torch import Tensor

from autograder.sandbox.errors import StudentDied, StudentFault, StudentRaised, StudentTimeout
from autograder.sandbox.tensors import entries

LARGEST = 256  # numbers, or rows without any


def view(value: Any) -> JsonValue:
    """A TensorView, {"kind": …}, or {"exception": …, "text": …}."""
    if isinstance(value, StudentFault):
        return _fault(value)
    if not isinstance(value, Tensor):
        return {"kind": "NoneType" if value is None else type(value).__name__}
    form: dict[str, JsonValue] = {
        "shape": list(value.shape),
        "dtype": str(value.dtype).removeprefix("torch."),
    }
    if entries(value.shape) <= LARGEST and value.device.type == "cpu":
        form["values"] = numbers(value)
    return form


def numbers(value: Tensor) -> JsonValue:
    """Nested lists."""
    return _plain(value.tolist())


def _plain(value: Any) -> JsonValue:
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else str(value)
    return value  # type: ignore[no-any-return]  # bool or int


def _fault(fault: StudentFault) -> JsonValue:
    match fault:
        case StudentRaised():
            return {"exception": fault.kind, "text": fault.text}
        case StudentTimeout():
            return {"exception": "TimeoutError", "text": ""}
        case StudentDied():
            return {"exception": "SystemExit", "text": ""}
        case _:
            return {"exception": "TypeError", "text": str(fault)[:200]}


def outline(value: Any, expected: Tensor) -> JsonValue:
    """What can be said of a value in words of ours alone: {"kind": …}, {"exception": …}, or whether a tensor
    has the expected shape.

    For what came from a process that held reference code as well: every number, every size and every name
    that such code makes up could be a piece of it.
    """
    said: dict[str, JsonValue] = {"kept_back": True}
    if isinstance(value, StudentFault):
        fault = _fault(value)
        assert isinstance(fault, dict)
        return said | {"exception": _builtin(str(fault["exception"]), BaseException, "Exception"), "text": ""}
    if not isinstance(value, Tensor):
        kind = "NoneType" if value is None else type(value).__name__
        return said | {"kind": kind if value is None else _builtin(kind, object, "object")}
    if value.shape == expected.shape:
        said["shape"] = list(expected.shape)
    return said | {"dtype": str(value.dtype).removeprefix("torch.")}


def _builtin(name: str, base: type, otherwise: str) -> str:
    """The name of one of Python's own classes."""
    found = getattr(builtins, name, None)
    return name if isinstance(found, type) and issubclass(found, base) else otherwise


def first_difference(got: Any, expected: Any) -> list[JsonValue] | None:
    """Where two tensors of the same shape first differ by more than rounding."""
    if not (isinstance(got, Tensor) and isinstance(expected, Tensor)) or got.shape != expected.shape:
        return None
    g, e = got.to(torch.float64), expected.to(torch.float64)
    scale = max(1.0, float(e.abs().nan_to_num(0, 0, 0).max())) if e.numel() else 1.0
    bad = ~((g - e).abs() <= 1e-5 * scale + 1e-4 * e.abs())
    bad &= ~((g == e) | (g.isnan() & e.isnan()))
    return [int(i) for i in bad.nonzero()[0]] if bool(bad.any()) else None


def differs(got: Any, expected: Any) -> bool:
    """Whether it is not the expected tensor."""
    if not isinstance(got, Tensor) or got.shape != expected.shape or got.dtype != expected.dtype:
        return True
    return first_difference(got, expected) is not None
