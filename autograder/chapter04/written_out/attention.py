"""The module with everything written out in `forward`, as in section 4 of the chapter: variants are edits
of it."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from solutions.heads import merge_heads


def concat_and_project(y: Tensor, c_proj: nn.Module) -> Any:
    return c_proj(merge_heads(y))  # (B, n_head, n, d_k) -> (B, n, d_model)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int = 768, n_head: int = 12, causal: bool = True) -> None:
        super().__init__()
        self.n_head = n_head
        self.d_k = d_model // n_head
        self.causal = causal
        self.c_attn = nn.Linear(d_model, 3 * d_model)
        self.c_proj = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor) -> Any:
        n_head, d_k, causal, c_attn, c_proj = self.n_head, self.d_k, self.causal, self.c_attn, self.c_proj
        B, n, d = x.shape
        q, k, v = c_attn(x).split(d, dim=2)  # (B, n, 3d) -> three (B, n, d)
        q = q.view(B, n, n_head, d_k).transpose(1, 2)  # (B, n, d) -> (B, n_head, n, d_k)
        k = k.view(B, n, n_head, d_k).transpose(1, 2)  # (B, n, d) -> (B, n_head, n, d_k)
        v = v.view(B, n, n_head, d_k).transpose(1, 2)  # (B, n, d) -> (B, n_head, n, d_k)
        n_all = k.shape[-2]
        att = q @ k.transpose(-2, -1)  # (B, n_head, n, n_all)
        att = att / math.sqrt(d_k)
        if causal:
            future = torch.ones(n, n_all, dtype=torch.bool, device=x.device).triu(n_all - n + 1)
            att = att.masked_fill(future, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = att @ v  # (B, n_head, n, d_k)
        y = y.transpose(1, 2).contiguous().view(B, n, d)  # (B, n_head, n, d_k) -> (B, n, d)
        out = c_proj(y)
        return out  # noqa: RET504 (an edit puts other things here)
