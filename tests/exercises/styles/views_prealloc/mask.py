import torch


def causal_mask(n_query, n_key=None, device=None):
    if n_key is None:
        n_key = n_query
    return ~torch.tril(torch.ones((n_query, n_key), device=device), diagonal=n_key - n_query).bool()


def causal_softmax(scores, causal=True):
    if causal:
        n, m = scores.shape[-2:]
        mask = torch.zeros(n, m, dtype=scores.dtype, device=scores.device)
        mask[causal_mask(n, m, scores.device)] = torch.finfo(scores.dtype).min
        scores = scores + mask
    return torch.nn.functional.softmax(scores, dim=-1)
