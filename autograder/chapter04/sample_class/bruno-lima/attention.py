import torch
from torch import nn

from .heads import merge_heads, split_heads
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
        q, k, v = (split_heads(t, self.n_head) for t in self.c_attn(x).chunk(3, -1))
        scores = torch.einsum("bhid,bhjd->bhij", q, k) * self.d_k**-0.5
        y = torch.einsum("bhij,bhjd->bhid", causal_softmax(scores, self.causal), v)
        return concat_and_project(y, self.c_proj)
