import math

import torch
import torch.nn as nn
from heads import merge_heads
from mask import causal_softmax


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
        qkv = self.c_attn(x).view(B, n, 3, self.n_head, self.d_k).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        att = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(self.d_k)
        return concat_and_project(torch.matmul(causal_softmax(att, self.causal), v), self.c_proj)
