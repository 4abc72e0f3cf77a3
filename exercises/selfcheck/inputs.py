"""Inputs a person can check by eye, and weights that are the same on every computer (no random numbers)."""

from __future__ import annotations

import math
from collections.abc import Sequence
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


def fill(attention: Module, q: Any, k: Any, v: Any, out: Any, bias: Sequence[float] | None = None) -> Module:
    """Sets the weights: q, k, v, out are (d, d), or 0. Q = x @ q, ..., output = heads @ out + bias."""
    c_attn, c_proj = attention.layer("c_attn"), attention.layer("c_proj")
    d = c_proj.weight.shape[0]
    with torch.no_grad():
        for i, matrix in enumerate((q, k, v)):
            c_attn.weight[i * d : (i + 1) * d] = _matrix(matrix, d).T
        c_attn.bias.zero_()
        c_proj.weight.copy_(_matrix(out, d).T)
        c_proj.bias.copy_(torch.zeros(d) if bias is None else torch.tensor(bias))
    return attention


def waves(attention: Module) -> Module:
    """Fills every weight and every bias with uneven numbers."""
    with torch.no_grad():
        for start, name in ((1, "c_attn"), (500, "c_proj")):
            layer = attention.layer(name)
            layer.weight.copy_(wave(*layer.weight.shape, start=start, size=0.6))
            layer.bias.copy_(wave(*layer.bias.shape, start=start + 250, size=0.4))
    return attention


def of_kind(attention: Module, kind: torch.dtype) -> Module:
    """The same module, its weights as numbers of that kind."""
    getattr(attention, "module", attention).to(kind)
    return attention


def _matrix(matrix: Any, d: int) -> Tensor:
    return matrix if isinstance(matrix, Tensor) else torch.full((d, d), float(matrix))
