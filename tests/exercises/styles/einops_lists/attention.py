import torch
from einops import rearrange
from torch import nn

from exercises.mask import causal_softmax


def concat_and_project(y, c_proj):
    return c_proj(rearrange(y, "b h n k -> b n (h k)"))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model=768, n_head=12, causal=True):
        super().__init__()
        self.n_head = n_head
        self.d_k = d_model // n_head
        self.causal = causal
        self.c_attn = nn.Linear(d_model, 3 * d_model)
        self.c_proj = nn.Linear(d_model, d_model)

    def forward(self, x):
        q, k, v = rearrange(self.c_attn(x), "b n (three h k) -> three b h n k", three=3, h=self.n_head)
        scores = torch.einsum("bhik,bhjk->bhij", q * self.d_k**-0.5, k)
        y = torch.einsum("bhij,bhjk->bhik", causal_softmax(scores, self.causal), v)
        return concat_and_project(y, self.c_proj)
