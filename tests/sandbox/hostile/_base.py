# ruff: noqa
import torch
from torch import nn


def split_heads(x, n_head):
    return torch.zeros(x.shape[0], n_head, x.shape[1], x.shape[2] // n_head, dtype=x.dtype, device=x.device)


def merge_heads(y):
    return torch.zeros(y.shape[0], y.shape[2], y.shape[1] * y.shape[3], dtype=y.dtype, device=y.device)


def causal_mask(n_query, n_key=None, device=None):
    return torch.zeros(n_query, n_key or n_query, dtype=torch.bool, device=device)


def causal_softmax(scores, causal=True):
    return torch.zeros_like(scores)


def concat_and_project(y, c_proj):
    return torch.zeros(y.shape[0], y.shape[2], y.shape[1] * y.shape[3], dtype=y.dtype, device=y.device)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model=768, n_head=12, causal=True):
        super().__init__()
        self.n_head, self.d_k, self.causal = n_head, d_model // n_head, causal
        self.c_attn, self.c_proj = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)

    def forward(self, x):
        return torch.zeros_like(x)


def attend_with_cache(attention, x_new, cache=None):
    return torch.zeros_like(x_new), cache


def generate(model, ids, max_new_tokens, use_cache=True):
    return torch.cat([ids, torch.zeros(ids.shape[0], max_new_tokens, dtype=ids.dtype)], dim=1)
