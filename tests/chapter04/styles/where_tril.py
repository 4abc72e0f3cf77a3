# where over a lower triangle.
# ruff: noqa
# whole mask.py
import torch


def causal_mask(n_query, n_key=None, device=None):
    n_key = n_query if n_key is None else n_key
    return ~torch.tril(torch.ones(n_query, n_key, device=device, dtype=torch.bool), n_key - n_query)


def causal_softmax(scores, causal=True):
    if causal:
        m, n = scores.shape[-2], scores.shape[-1]
        past = torch.tril(torch.ones(m, n, device=scores.device), diagonal=n - m)
        scores = torch.where(past > 0, scores, -torch.inf)
    return torch.softmax(scores, dim=-1)
