"""What right code gives: worked out in the judge's own process, which no submission enters."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from solutions.attention import MultiHeadAttention


def split(x: Tensor, n_head: int) -> Tensor:
    """(B, n, d) -> (B, n_head, n, d_k): head i has the i-th slice of every token."""
    return torch.stack(x.chunk(n_head, dim=-1), dim=1)


def merge(y: Tensor) -> Tensor:
    """(B, n_head, n, d_k) -> (B, n, d): the slices side by side."""
    return torch.cat(y.unbind(1), dim=-1)


def future(n_query: int, n_key: int) -> Tensor:
    """bool (n_query, n_key): True where key j comes after the position of query i."""
    position = torch.arange(n_key - n_query, n_key)  # (n_query,)
    return torch.arange(n_key)[None, :] > position[:, None]  # (n_query, n_key)


def weights(scores: Tensor, causal: bool = True) -> Tensor:
    """(..., n_query, n_key) -> weights of the same shape."""
    if causal:
        scores = scores.masked_fill(future(*scores.shape[-2:]), float("-inf"))
    return scores.softmax(dim=-1)


def attention(parameters: Mapping[str, Tensor], n_head: int, causal: bool = True) -> MultiHeadAttention:
    """The solutions' module with these parameters, in their dtype."""
    weight = parameters["c_attn.weight"]
    module = MultiHeadAttention(d_model=weight.shape[1], n_head=n_head, causal=causal).to(weight.dtype)
    module.load_state_dict(dict(parameters))
    return module.eval().requires_grad_(False)
