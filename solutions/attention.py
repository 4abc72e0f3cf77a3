"""Sections 2 and 4: the heads come together, and the module as a whole."""

import math

from torch import Tensor, nn

from solutions.heads import merge_heads, split_heads
from solutions.mask import causal_softmax


def concat_and_project(y: Tensor, c_proj: nn.Module) -> Tensor:
    """Puts the heads side by side and lets c_proj mix them.

    y: (B, n_head, n, d_k) -> (B, n, d_model). Without c_proj (the chapter's W^O) every head would stay
    in its own slice and never speak to another.
    """
    return c_proj(merge_heads(y))  # (B, n_head, n, d_k) -> (B, n, d_model) -> (B, n, d_model)


class MultiHeadAttention(nn.Module):
    """causal=True is GPT-2, causal=False is RoBERTa; everything else is the same."""

    def __init__(self, d_model: int = 768, n_head: int = 12, causal: bool = True) -> None:
        super().__init__()
        self.n_head = n_head
        self.d_k = d_model // n_head
        self.causal = causal
        self.c_attn = nn.Linear(d_model, 3 * d_model)  # Q, K and V in one matmul, in this order
        self.c_proj = nn.Linear(d_model, d_model)  # W^O

    def forward(self, x: Tensor) -> Tensor:
        """x: (B, n, d_model) -> (B, n, d_model)"""
        q, k, v = self.c_attn(x).chunk(3, dim=-1)  # (B, n, 3 * d_model) -> three (B, n, d_model)
        q = split_heads(q, self.n_head)  # (B, n, d_model) -> (B, n_head, n, d_k)
        k = split_heads(k, self.n_head)  # (B, n, d_model) -> (B, n_head, n, d_k)
        v = split_heads(v, self.n_head)  # (B, n, d_model) -> (B, n_head, n, d_k)

        scores = q @ k.transpose(-2, -1)  # (B, n_head, n, d_k) @ (B, n_head, d_k, n) -> (B, n_head, n, n)
        weights = causal_softmax(scores / math.sqrt(self.d_k), self.causal)  # (B, n_head, n, n)

        y = weights @ v  # (B, n_head, n, n) @ (B, n_head, n, d_k) -> (B, n_head, n, d_k)
        return concat_and_project(y, self.c_proj)  # (B, n_head, n, d_k) -> (B, n, d_model)
