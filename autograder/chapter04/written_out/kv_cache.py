"""The cache with everything written out, and `generate`: variants are edits of it."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


def attend_with_cache(attention: Any, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
    n_head, d_k, causal = attention.n_head, attention.d_k, attention.causal
    c_attn, c_proj = attention.c_attn, attention.c_proj
    B, n, d = x.shape
    q, k, v = c_attn(x).split(d, dim=2)  # (B, n, 3d) -> three (B, n, d)
    q = q.view(B, n, n_head, d_k).transpose(1, 2)  # (B, n, d) -> (B, n_head, n, d_k)
    k = k.view(B, n, n_head, d_k).transpose(1, 2)  # (B, n, d) -> (B, n_head, n, d_k)
    v = v.view(B, n, n_head, d_k).transpose(1, 2)  # (B, n, d) -> (B, n_head, n, d_k)
    if cache is not None:
        k_past, v_past = cache
        k = torch.cat([k_past, k], dim=2)  # (B, n_head, n_past + n, d_k)
        v = torch.cat([v_past, v], dim=2)  # (B, n_head, n_past + n, d_k)
    cache = (k, v)
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
    return out, cache


@torch.no_grad()
def generate(model: Any, ids: Tensor, max_new_tokens: int, use_cache: bool = True) -> Tensor:
    n = ids.shape[1]
    if n + max_new_tokens > model.n_positions:
        raise ValueError(f"{n} + {max_new_tokens} tokens do not fit into {model.n_positions} positions")
    cache, start = None, 0
    for _ in range(max_new_tokens):
        new = ids[:, start:]  # (B, n) -> (B, m)
        logits, cache_out = model(new, cache=cache, start=start)  # (B, m) -> (B, m, vocab)
        if use_cache:
            cache = cache_out
            start = ids.shape[1]
        last = logits[:, -1]  # (B, m, vocab) -> (B, vocab)
        next_id = last.argmax(dim=-1, keepdim=True)  # (B, vocab) -> (B, 1)
        ids = torch.cat([ids, next_id], dim=1)  # (B, n) -> (B, n + 1)
    return ids
