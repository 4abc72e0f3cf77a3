"""Attention as transformers computes it, in the kit's form: for a copy of the lab without solutions.

Nothing is computed here: everything is handed to transformers' own GPT2Attention.
"""

from __future__ import annotations

import inspect
from typing import Any

from torch import Tensor, nn
from transformers import DynamicCache, GPT2Config
from transformers.models.gpt2.modeling_gpt2 import GPT2Attention

KV = tuple[Tensor, Tensor]
CACHE = "cache" if "cache" in inspect.signature(GPT2Attention.forward).parameters else "past_key_values"


class MultiHeadAttention(nn.Module):
    """transformers' GPT2Attention with plain nn.Linear inside; (B, n, d_model) -> (B, n, d_model)."""

    def __init__(self, d_model: int = 768, n_head: int = 12, causal: bool = True) -> None:
        super().__init__()
        config = GPT2Config(n_embd=d_model, n_head=n_head, attn_pdrop=0.0, resid_pdrop=0.0)
        config._attn_implementation = "sdpa"  # the one that forbids the future by itself, by is_causal
        self.inner = [GPT2Attention(config, layer_idx=0).eval()]  # in a list: its names stay out of ours
        self.n_head = n_head
        self.d_k = d_model // n_head
        self.causal = causal
        self.c_attn = nn.Linear(d_model, 3 * d_model)
        self.c_proj = nn.Linear(d_model, d_model)

    def run(self, x: Tensor, cache: DynamicCache | None = None) -> Tensor:
        """(B, m, d_model) -> (B, m, d_model); the cache grows by m."""
        inner: Any = self.inner[0]
        inner.c_attn, inner.c_proj, inner.is_causal = self.c_attn, self.c_proj, self.causal
        output: Tensor = inner(x, **({} if cache is None else {CACHE: cache}))[0]
        return output

    def forward(self, x: Tensor) -> Tensor:
        return self.run(x)


def attend_with_cache(
    attention: MultiHeadAttention, x_new: Tensor, cache: KV | None = None
) -> tuple[Tensor, KV]:
    """x_new: (B, m, d_model) -> the same, and K and V of all tokens so far, each (B, n_head, n, d_k).

    After a cache only m = 1: GPT2Attention alone does not know where several new tokens stand.
    """
    if cache is not None and x_new.shape[1] != 1:
        raise ValueError("one new token at a time, please")
    theirs = DynamicCache()
    if cache is not None:
        theirs.update(*cache, 0)
    output = attention.run(x_new, theirs)
    layer: Any = theirs.layers[0]
    return output, (layer.keys, layer.values)
