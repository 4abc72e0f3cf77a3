import torch
import torch.nn.functional as F


def causal_mask(n_query, n_key=None, device=None):
    n_key = n_query if n_key is None else n_key
    return torch.triu(torch.ones(n_query, n_key, dtype=torch.bool), diagonal=1 + n_key - n_query)


def causal_softmax(scores, causal=True):
    if causal:
        scores = scores.masked_fill(causal_mask(*scores.shape[-2:]), float("-inf"))
    return F.softmax(scores, dim=-1)
