"""Weights of an attention module that are the same on every computer, or that a person can follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from exercises.selfcheck.calls import Module
from exercises.selfcheck.inputs import wave


def fill(attention: Module, q: Any, k: Any, v: Any, out: Any, bias: Sequence[float] | None = None) -> Module:
    """Sets the weights: q, k, v, out are (d, d), or 0. Q = x @ q, ..., output = heads @ out + bias."""
    c_attn, c_proj = attention.layer("c_attn", times=3), attention.layer("c_proj")
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
        for start, name, times in ((1, "c_attn", 3), (500, "c_proj", 1)):
            layer = attention.layer(name, times=times)
            layer.weight.copy_(wave(*layer.weight.shape, start=start, size=0.6))
            layer.bias.copy_(wave(*layer.bias.shape, start=start + 250, size=0.4))
    return attention


def _matrix(matrix: Any, d: int) -> Tensor:
    return matrix if isinstance(matrix, Tensor) else torch.full((d, d), float(matrix))
