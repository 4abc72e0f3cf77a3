import torch


def causal_mask(n_query, n_key=None, device=None):
    n_key = n_query if n_key is None else n_key
    rows = torch.arange(n_key - n_query, n_key, device=device)
    return torch.arange(n_key, device=device)[None, :] > rows[:, None]


def causal_softmax(scores, causal=True):
    if causal:
        mask = causal_mask(scores.shape[-2], scores.shape[-1], scores.device)
        scores = scores.masked_fill(mask, -1e9)
    return torch.softmax(scores, -1)
