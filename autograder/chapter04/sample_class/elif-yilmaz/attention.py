import math

import torch.nn as nn

from exercises.heads import merge_heads, split_heads
from exercises.mask import causal_softmax


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
        B, n, d = x.shape
        q, k, v = self.c_attn(x).split(d, dim=2)
        q = split_heads(q, self.n_head)
        k = split_heads(k, self.n_head)
        v = split_heads(v, self.n_head)
        att = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        att = causal_softmax(att, self.causal)
        return concat_and_project(att @ v, self.c_proj)
