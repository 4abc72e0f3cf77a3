import torch


def causal_mask(n_query, n_key=None, device=None):
    if n_key is None:
        n_key = n_query
    past = torch.tril(torch.ones(n_query, n_key, device=device), diagonal=n_key - n_query)
    return past == 0


def causal_softmax(scores, causal=True):
    # a very negative number instead of -inf: no NaN can come of it
    if causal:
        n_query, n_key = scores.shape[-2], scores.shape[-1]
        future = causal_mask(n_query, n_key, device=scores.device)
        scores = torch.where(future, torch.full_like(scores, -1e9), scores)
    return scores.softmax(-1)
