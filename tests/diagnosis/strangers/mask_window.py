# ruff: noqa
# loses: causal_mask
# in mask.py
def causal_mask(n_query, n_key=None, device=None):
    # only the last three tokens
    n_key = n_key or n_query
    i = torch.arange(n_key - n_query, n_key, device=device)[:, None]
    j = torch.arange(n_key, device=device)[None]
    return (j > i) | (j < i - 2)
