"""Results too uneven to be worked out by hand: made once, in float64; in numbers.json beside the tests."""

from __future__ import annotations

import json
from functools import cache

import torch
from torch import Tensor

from exercises.selfcheck.chapter import HERE


@cache
def _all() -> dict[str, list[object]]:
    data: dict[str, list[object]] = json.loads((HERE / "numbers.json").read_text(encoding="utf-8"))
    return data


def stored(name: str) -> Tensor:
    """The numbers of that name, float64."""
    return torch.tensor(_all()[name], dtype=torch.float64)
