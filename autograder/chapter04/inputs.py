"""Secret weights for attention."""

from __future__ import annotations

import torch
from torch import Tensor

from autograder.checks.inputs import SeededInputs


def attention_weights(
    draw: SeededInputs,
    d_model: int,
    *,
    std: float = 0.15,
    bias: float = 0.1,
    dtype: torch.dtype = torch.float32,
) -> dict[str, Tensor]:
    """State dict of a MultiHeadAttention: c_attn (3d, d) and c_proj (d, d), with biases."""
    return {
        "c_attn.weight": draw.normal(3 * d_model, d_model, std=std, dtype=dtype),
        "c_attn.bias": draw.normal(3 * d_model, std=bias, dtype=dtype),
        "c_proj.weight": draw.normal(d_model, d_model, std=std, dtype=dtype),
        "c_proj.bias": draw.normal(d_model, std=bias, dtype=dtype),
    }
