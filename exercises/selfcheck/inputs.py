"""Inputs that a person can check by eye, and that are the same on every computer (no random numbers)."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from exercises.selfcheck.calls import Module

KINDS = (torch.float32, torch.float64, torch.bfloat16)  # of numbers: every exercise keeps the one it is given


def coded(tokens: int, dims: int, sentences: int = 1) -> Tensor:
    """(sentences, tokens, dims): sentence * 1000 + token * 100 + position in the token."""
    rows = [[[s * 1000 + t * 100 + i for i in range(dims)] for t in range(tokens)] for s in range(sentences)]
    return torch.tensor(rows, dtype=torch.float32)


def wave(*shape: int, start: int = 1, size: float = 1.0) -> Tensor:
    """Uneven numbers between -size and size, by a formula."""
    places = range(start, start + math.prod(shape))
    numbers = [round(math.sin(1.7 * i + 0.3 * i**1.5), 3) for i in places]
    return (torch.tensor(numbers, dtype=torch.float64) * size).to(torch.float32).reshape(shape)


def eye(d: int) -> Tensor:
    """(d, d): changes nothing."""
    return torch.eye(d)


def of_kind(module: Module, kind: torch.dtype) -> Module:
    """The same module, its weights as numbers of that kind."""
    inner: Any = getattr(module, "module", module)
    inner.to(kind)
    return module
