import torch


def causal_mask(n_query, n_key=None, device=None):
    n_key = n_query if n_key is None else n_key
    row = torch.arange(n_key - n_query, n_key, device=device)[:, None]
    column = torch.arange(n_key, device=device)[None, :]
    return column > row


def causal_softmax(scores, causal=True):
    if causal:
        mask = causal_mask(*scores.shape[-2:], device=scores.device)
        scores = scores + torch.zeros_like(scores).masked_fill(mask, float("-inf"))
    scores = scores - scores.amax(dim=-1, keepdim=True)
    weights = scores.exp()
    return weights / weights.sum(dim=-1, keepdim=True)
