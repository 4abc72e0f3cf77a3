"""What a hidden test is written with: the mark `points`, and checks that say what is wrong by message id.

A check raises `Wrong`; its parameters may name axes, positions, counts and kinds of values, but never hidden
inputs or expected numbers: they go into result.json, which a student may see.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import pytest
import torch
from pydantic import JsonValue
from torch import Tensor

from autograder import bounded
from autograder.course import Tolerance

F = TypeVar("F", bound=Callable[..., object])
MOST_ROWS = 64  # that are named
MOST_NUMBERS = 1 << 14  # that a fingerprint is made of


def points(
    value: float, *, exercise: str, concept: str, timing: bool = False, side: bool = False
) -> Callable[[F], F]:
    """Marks a hidden test: its worth, the exercise (id of course.toml) it belongs to, the concept in words.

    The concept's wording in the students' languages is the message `concept.<sheet>/<test>`.
    `timing`: measures CPU time (left out by `--no-timing`). `side`: code that does nothing of what is asked
    passes it too (a shape, an input left alone, nothing leaked by who looks at nothing), so it counts only
    together with a test of the same exercise that is none (see autograder/substance.py).
    """
    mark = pytest.mark.hidden(points=value, exercise=exercise, concept=concept, timing=timing, side=side)

    def apply(function: F) -> F:
        marked: F = mark(function)
        return marked

    return apply


class Wrong(AssertionError):
    """The student's result is not right: a message id and named parameters, for pages in any language."""

    def __init__(self, id: str, *, fingerprint: str | None = None, **params: JsonValue) -> None:
        self.id, self.params, self.fingerprint = id, bounded.params(params), fingerprint
        super().__init__(f"{id} {self.params}")


class NotMeasured(Exception):
    """Measurements disagreed with each other; a person decides. Parameters as in `Wrong`."""

    def __init__(self, id: str, **params: JsonValue) -> None:
        self.id, self.params = id, bounded.params(params)
        super().__init__(f"{id} {self.params}")


class Check:
    """Checks with the course's tolerance. `what` names the value checked, in code: "weights"."""

    def __init__(self, tolerance: Tolerance) -> None:
        self.tolerance = tolerance

    def tensor(self, got: object, what: str = "result", *, device: str = "cpu") -> Tensor:
        """Is it a tensor at all, and one with numbers in it (or, with device="meta", one without)?"""
        if not isinstance(got, Tensor):
            raise Wrong("kind.wrong", what=what, expected="Tensor", got=type(got).__name__)
        if got.device.type != device:
            raise Wrong("device.wrong", what=what, expected=device, got=got.device.type)
        return got

    def pair(self, got: object, what: str = "result") -> tuple[Any, Any]:
        """Is it two things (a tuple or a list)?"""
        if not isinstance(got, tuple | list) or len(got) != 2:
            found = type(got).__name__
            if isinstance(got, tuple | list):
                found = f"{found} of {len(got)}"
            raise Wrong("kind.wrong", what=what, expected="tuple of 2", got=found)
        return got[0], got[1]

    def shape(
        self, got: object, expected: Sequence[int], what: str = "result", *, device: str = "cpu"
    ) -> Tensor:
        """A tensor of exactly this shape?"""
        got = self.tensor(got, what, device=device)
        if tuple(got.shape) != tuple(expected):
            raise Wrong("shape.wrong", what=what, expected=list(expected), got=list(got.shape))
        return got

    def dtype(self, got: object, expected: torch.dtype, what: str = "result") -> Tensor:
        """A tensor of this dtype?"""
        got = self.tensor(got, what)
        if got.dtype != expected:
            raise Wrong("dtype.wrong", what=what, expected=_name(expected), got=_name(got.dtype))
        return got

    def finite(self, got: object, what: str = "result") -> Tensor:
        """No NaN, no infinity? Says where they are: which rows of the last but one axis."""
        got = self.tensor(got, what)
        bad = ~torch.isfinite(got)
        if bool(bad.any()):
            rows: list[JsonValue] = []
            if got.dim() >= 2:
                hit = bad.movedim(-2, 0).flatten(1).any(dim=1)  # (…, n, d) -> (n,)
                rows = list(hit.nonzero().flatten()[:MOST_ROWS].tolist())
            raise Wrong(
                "values.not_finite",
                fingerprint=fingerprint(got),
                what=what,
                nan=int(torch.isnan(got).sum()),
                inf=int(torch.isinf(got).sum()),
                rows=rows,
                total=got.numel(),
            )
        return got

    def close(self, got: object, expected: Tensor, what: str = "result", *, loosen: float = 1.0) -> Tensor:
        """Same shape, finite, and equal within the tolerance (times `loosen`; low precision widens by
        itself)."""
        got = self.shape(got, expected.shape, what)
        if expected.dtype.is_floating_point and not got.dtype.is_floating_point:
            raise Wrong("dtype.wrong", what=what, expected=_name(expected.dtype), got=_name(got.dtype))
        got = self.finite(got, what)
        g, e = got.to(torch.float64), expected.to(torch.float64)
        bad = (g - e).abs() > self.allowed(expected) * loosen
        if bool(bad.any()):
            raise Wrong(
                "values.differ",
                fingerprint=fingerprint(got),
                what=what,
                wrong=int(bad.sum()),
                total=bad.numel(),
                first=[int(i) for i in bad.nonzero()[0]],
                shape=list(bad.shape),
            )
        return got

    def allowed(self, expected: Tensor) -> Tensor:
        """The largest difference that counts as equal, per entry of `expected` (float64)."""
        e = expected.to(torch.float64)
        biggest = float(e.abs().max()) if e.numel() else 0.0
        widen = {torch.bfloat16: 2.0**16, torch.float16: 2.0**13, torch.float64: 1.0}.get(expected.dtype, 1.0)
        # float32 keeps 24 bits; what keeps fewer is compared that much more coarsely (bfloat16: 8 bits)
        widen = min(widen, 5e-2 / self.tolerance.atol)
        rtol = min(self.tolerance.rtol * widen, 5e-2)
        return self.tolerance.atol * widen * max(1.0, biggest) + rtol * e.abs()

    def equal(self, got: object, expected: Tensor, what: str = "result") -> Tensor:
        """Exactly equal, dtype aside (for bool, integers, and reshapes that only move numbers)."""
        got = self.shape(got, expected.shape, what)
        if not torch.equal(got.to(expected.dtype), expected):
            bad = got.to(expected.dtype) != expected
            raise Wrong(
                "values.differ",
                fingerprint=fingerprint(got),
                what=what,
                wrong=int(bad.sum()),
                total=bad.numel(),
                first=[int(i) for i in bad.nonzero()[0]],
                shape=list(bad.shape),
            )
        return got

    def unchanged(self, after: object, before: Tensor, what: str) -> None:
        """Is an input still what it was?"""
        same = isinstance(after, Tensor) and after.device == before.device and after.shape == before.shape
        if not same or not torch.equal(cast("Tensor", after), before):
            raise Wrong("input.changed", what=what)


def fingerprint(got: Tensor) -> str:
    """Same wrong output on the same input, same fingerprint (about three digits are kept; of very large
    ones only the beginning is looked at)."""
    shape = list(got.shape)
    got = got.flatten()[:MOST_NUMBERS].to(torch.float64)  # bool has no abs
    scale = float(got.abs().nan_to_num(0, 0, 0).max()) if got.numel() else 0.0
    unit = 10.0 ** (math.floor(math.log10(scale)) - 2) if 0 < scale < math.inf else 1.0
    coarse = (got / unit).round().nan_to_num(1e9, 2e9, -2e9)
    data = f"{shape} {[int(x) for x in coarse.tolist()]}"
    return hashlib.sha256(data.encode()).hexdigest()[:12]


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
