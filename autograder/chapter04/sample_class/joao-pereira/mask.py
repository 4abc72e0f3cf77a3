import torch
from torch import Tensor


def causal_mask(n_query, n_key=None, device=None):
    if n_key is None:
        n_key = n_query
    ones = torch.ones(n_query, n_key, dtype=torch.bool, device=device)
    return torch.triu(ones, diagonal=n_key - n_query + 1)


def causal_softmax(scores: Tensor, causal: bool = True) -> Tensor:
    if causal:
        future = causal_mask(scores.shape[-2], scores.shape[-1], device=scores.device)
        scores = scores.masked_fill(future, float("-inf"))
    return torch.softmax(scores, dim=-1)
