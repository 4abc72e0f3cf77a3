"""Section 3: the KV cache. Token 5 never influences token 3, so K and V of the past never change."""

import math
from typing import Any

import torch
from torch import Tensor

from solutions.attention import MultiHeadAttention, concat_and_project
from solutions.heads import split_heads
from solutions.mask import causal_softmax

KV = tuple[Tensor, Tensor]


def attend_with_cache(
    attention: MultiHeadAttention, x_new: Tensor, cache: KV | None = None
) -> tuple[Tensor, KV]:
    """Attention for the m newest tokens only; everything older comes out of the cache.

    x_new: (B, m, d_model); cache: (K, V), each (B, n_head, n_past, d_k), or None at the start.
    Returns (output (B, m, d_model), new cache with n_past + m positions).
    """
    q, k, v = attention.c_attn(x_new).chunk(3, dim=-1)  # (B, m, 3 * d_model) -> three (B, m, d_model)
    q = split_heads(q, attention.n_head)  # (B, m, d_model) -> (B, n_head, m, d_k)
    k = split_heads(k, attention.n_head)  # (B, m, d_model) -> (B, n_head, m, d_k)
    v = split_heads(v, attention.n_head)  # (B, m, d_model) -> (B, n_head, m, d_k)

    if cache is not None:
        k_past, v_past = cache
        # New tensors: the old cache stays as it was, so two continuations can share it.
        k = torch.cat([k_past, k], dim=2)  # (B, n_head, n_past, d_k) + m -> (B, n_head, n_past + m, d_k)
        v = torch.cat([v_past, v], dim=2)  # (B, n_head, n_past, d_k) + m -> (B, n_head, n_past + m, d_k)

    scores = q @ k.transpose(-2, -1)  # (B, n_head, m, d_k) @ (…, d_k, n_past + m) -> (…, m, n_past + m)
    # The m queries are the last m of n_past + m positions; the mask knows that from the shape.
    weights = causal_softmax(scores / math.sqrt(attention.d_k), attention.causal)

    y = weights @ v  # (B, n_head, m, n_past + m) @ (B, n_head, n_past + m, d_k) -> (B, n_head, m, d_k)
    return concat_and_project(y, attention.c_proj), (k, v)  # (B, n_head, m, d_k) -> (B, m, d_model)


@torch.no_grad()
def generate(model: Any, ids: Tensor, max_new_tokens: int, use_cache: bool = True) -> Tensor:
    """Continues ids greedily: always the likeliest next token.

    model(ids, cache=None, start=0) -> (logits (B, m, vocab), cache); `start` is the position of ids[:, 0];
    model.n_positions is the longest sequence it can see. ids: (B, n) -> (B, n + max_new_tokens).
    Raises ValueError when that would be longer than model.n_positions.
    """
    if ids.shape[1] + max_new_tokens > model.n_positions:
        raise ValueError(
            f"{ids.shape[1]} tokens and {max_new_tokens} new ones do not fit "
            f"into {model.n_positions} positions"
        )
    cache, start = None, 0
    for _ in range(max_new_tokens):
        # With the cache only what the model has not seen yet goes in, at its true position.
        new = ids[:, start:]  # (B, n) -> (B, m)
        logits, cache_out = model(new, cache=cache, start=start)  # (B, m) -> (B, m, vocab)
        if use_cache:
            cache, start = cache_out, ids.shape[1]
        next_id = logits[:, -1].argmax(dim=-1, keepdim=True)  # (B, m, vocab) -> (B, vocab) -> (B, 1)
        ids = torch.cat([ids, next_id], dim=1)  # (B, n) -> (B, n + 1)
    return ids
