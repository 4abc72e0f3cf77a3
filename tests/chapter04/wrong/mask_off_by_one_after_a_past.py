# Right as long as there is no past; with one, each query sees one too many.
# ruff: noqa
# loses: causal_mask
# in mask.py
_square = causal_mask


def causal_mask(n_query, n_key=None, device=None):
    if n_key is None or n_key == n_query:
        return _square(n_query, device=device)
    return torch.ones(n_query, n_key, dtype=torch.bool, device=device).triu(n_key - n_query + 2)
