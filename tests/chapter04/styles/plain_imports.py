# import heads; from mask import …
# ruff: noqa
# whole attention.py
import math

from torch import nn

import heads
from mask import causal_softmax as weights_of


def concat_and_project(y, c_proj):
    return c_proj(heads.merge_heads(y))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model=768, n_head=12, causal=True):
        super().__init__()
        self.n_head, self.d_k, self.causal = n_head, d_model // n_head, causal
        self.c_attn, self.c_proj = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)

    def forward(self, x):
        q, k, v = (heads.split_heads(t, self.n_head) for t in self.c_attn(x).chunk(3, dim=2))
        return concat_and_project(weights_of(q @ k.mT / math.sqrt(self.d_k), self.causal) @ v, self.c_proj)
