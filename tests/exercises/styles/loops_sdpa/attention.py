import torch
import torch.nn.functional as F
from torch import nn


def concat_and_project(y, c_proj):
    B, h, n, d_k = y.shape
    out = 0  # the sum over heads of head @ its rows of W^O
    for i in range(h):
        out = out + y[:, i] @ c_proj.weight[:, i * d_k : (i + 1) * d_k].T
    return out + c_proj.bias


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model=768, n_head=12, causal=True):
        super().__init__()
        self.n_head = n_head
        self.d_k = d_model // n_head
        self.causal = causal
        self.c_attn = nn.Linear(d_model, 3 * d_model)
        self.c_proj = nn.Linear(d_model, d_model)

    def forward(self, x):
        heads = []
        parts = [t.split(self.d_k, dim=-1) for t in self.c_attn(x).chunk(3, dim=-1)]
        for q, k, v in zip(*parts, strict=True):
            heads.append(F.scaled_dot_product_attention(q, k, v, is_causal=self.causal))
        return self.c_proj(torch.cat(heads, dim=-1))
