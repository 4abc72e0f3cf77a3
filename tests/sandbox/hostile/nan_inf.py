# ruff: noqa
def causal_softmax(scores, causal=True):
    return torch.full_like(scores, float("nan"))


def split_heads(x, n_head):
    return torch.full((x.shape[0], n_head, x.shape[1], x.shape[2] // n_head), float("inf"))


def causal_mask(n_query, n_key=None, device=None):
    return torch.full((n_query, n_key or n_query), float("nan"))
