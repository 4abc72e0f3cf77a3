# from .heads import …
# ruff: noqa
# whole attention.py
import math

import torch
from torch import nn

from .heads import *
from .mask import causal_softmax


def concat_and_project(y, c_proj):
    return c_proj(merge_heads(y))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model=768, n_head=12, causal=True):
        super().__init__()
        self.n_head = n_head
        self.d_k = d_model // n_head
        self.causal = causal
        self.c_attn = nn.Linear(d_model, 3 * d_model)
        self.c_proj = nn.Linear(d_model, d_model)

    def forward(self, x):
        q, k, v = [split_heads(t, self.n_head) for t in torch.tensor_split(self.c_attn(x), 3, dim=-1)]
        return concat_and_project(
            causal_softmax(q @ k.mT / math.sqrt(self.d_k), self.causal) @ v, self.c_proj
        )


# in kv_cache.py
from .heads import split_heads
from .mask import causal_softmax
from .attention import concat_and_project
