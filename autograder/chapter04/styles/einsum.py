# Products by name of axis, a finite fill value, a module-level mask by comparison.
# ruff: noqa
# mypy: ignore-errors
# in heads.py
import torch


def split_heads(x, n_head):
    B, n, d = x.shape
    if d % n_head:
        raise ValueError("n_head must divide d_model")
    return torch.stack(x.chunk(n_head, dim=-1), dim=1)


def merge_heads(y):
    return torch.cat(list(y.unbind(1)), dim=-1)


# in mask.py
def causal_mask(n_query, n_key=None, device=None):
    n_key = n_key or n_query
    i = torch.arange(n_key - n_query, n_key, device=device)
    return i[:, None] < torch.arange(n_key, device=device)


def causal_softmax(scores, causal=True):
    if causal:
        mask = causal_mask(scores.size(-2), scores.size(-1), scores.device)
        scores = torch.where(mask, torch.finfo(scores.dtype).min, scores)
    return torch.softmax(scores, -1)


# in attention.py
import torch


def _forward(self, x):
    q, k, v = (split_heads(t, self.n_head) for t in self.c_attn(x).chunk(3, -1))
    weights = causal_softmax(torch.einsum("bhid,bhjd->bhij", q * self.d_k**-0.5, k), self.causal)
    return concat_and_project(torch.einsum("bhij,bhjd->bhid", weights, v), self.c_proj)


MultiHeadAttention.forward = _forward
