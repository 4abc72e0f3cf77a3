"""Reads the attention weights of any module with c_attn and c_proj, without looking inside.

The module gets its own Q and K, but as values V the positions themselves, written as unit vectors, and a
c_proj that changes nothing. What then comes out are the weights: a weighted average of unit vectors. So the
picture shows what the code does, whoever wrote it.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class _PositionsAsValues(nn.Module):
    """Stands in for c_attn: the true Q and K, and for V the unit vectors of positions first … first + d_k."""

    def __init__(self, c_attn: nn.Module, n_head: int, first: int) -> None:
        super().__init__()
        self.c_attn, self.n_head, self.first = c_attn, n_head, first

    def forward(self, x: Tensor) -> Tensor:
        qk = self.c_attn(x)  # (B, n, 3 d)
        d = qk.shape[-1] // 3
        d_k = d // self.n_head
        v = torch.zeros(x.shape[1], d_k, dtype=qk.dtype)  # (n, d_k)
        here = torch.arange(self.first, min(self.first + d_k, x.shape[1]))
        v[here, here - self.first] = 1
        v = v.repeat(1, self.n_head).expand(x.shape[0], -1, -1)  # (n, d_k) -> (n, d) -> (B, n, d)
        return torch.cat([qk[..., : 2 * d], v], dim=-1)  # (B, n, 3 d)


@torch.no_grad()
def attention_weights(attention: Any, x: Tensor, n_head: int) -> Tensor:
    """What `attention` pays attention to. x: (B, n, d) -> (B, n_head, n, n), [.., query, key].

    `attention` is as it was afterwards.
    """
    B, n, d = x.shape
    d_k = d // n_head
    c_attn, c_proj = attention.c_attn, attention.c_proj
    parts = []
    try:
        attention.c_proj = nn.Identity()
        for first in range(0, n, d_k):
            attention.c_attn = _PositionsAsValues(c_attn, n_head, first)
            y = attention(x)  # (B, n, d): head after head, d_k positions each
            parts.append(y.reshape(B, n, n_head, d_k))
    finally:
        attention.c_attn, attention.c_proj = c_attn, c_proj
    weights = torch.cat(parts, dim=-1)[..., :n]  # (B, n, n_head, positions) -> (B, n, n_head, n)
    return weights.movedim(2, 1)  # (B, n, n_head, n) -> (B, n_head, n, n)
