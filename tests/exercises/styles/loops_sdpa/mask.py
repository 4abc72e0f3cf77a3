import torch


def causal_mask(n_query, n_key=None, device=None):
    n_key = n_key or n_query
    mask = torch.zeros(n_query, n_key, dtype=torch.bool, device=device)
    for i in range(n_query):
        mask[i, n_key - n_query + i + 1 :] = True
    return mask


def causal_softmax(scores, causal=True):
    if causal:
        n, m = scores.size(-2), scores.size(-1)
        allowed = torch.tril(torch.ones(n, m, device=scores.device), diagonal=m - n)
        scores = torch.where(allowed == 1, scores, torch.tensor(float("-inf"), dtype=scores.dtype))
    exp = (scores - scores.max(dim=-1, keepdim=True).values).exp()
    return exp / exp.sum(dim=-1, keepdim=True)
