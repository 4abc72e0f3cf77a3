# The mask by comparing positions, the heads with unflatten and movedim.
# ruff: noqa
# whole heads.py
def split_heads(x, n_head):
    return x.unflatten(-1, (n_head, -1)).movedim(-2, 1)


def merge_heads(y):
    return y.movedim(1, -2).flatten(-2)


# in mask.py
def causal_mask(n_query, n_key=None, device=None):
    n_key = n_key if n_key is not None else n_query
    i = torch.arange(n_query, device=device)[:, None] + (n_key - n_query)
    j = torch.arange(n_key, device=device)[None, :]
    return j > i
