import torch


def causal_mask(n_query: int, n_key: int | None = None, device=None):
    total = n_query if n_key is None else n_key
    return torch.ones(total, total, device=device).triu(1)[total - n_query :] > 0


def causal_softmax(scores, causal=True):
    weights = scores.softmax(dim=-1)  # masked after the softmax, and made to sum to 1 again
    if causal:
        weights = weights * ~causal_mask(scores.shape[-2], scores.shape[-1], scores.device)
        weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights
