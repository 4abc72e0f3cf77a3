import torch
from attention import concat_and_project
from heads import split_heads
from mask import causal_softmax


class Cache:
    """K and V in tensors made once; n of their positions are filled."""

    def __init__(self, B, h, d_k, dtype, size=1024):
        self.k = torch.zeros(B, h, size, d_k, dtype=dtype)
        self.v = torch.zeros(B, h, size, d_k, dtype=dtype)
        self.n = 0


def attend_with_cache(attention, x_new, cache=None):
    B, m, d = x_new.shape
    q, k, v = (split_heads(t, attention.n_head) for t in attention.c_attn(x_new).split(d, dim=2))
    if cache is None:
        cache = Cache(B, attention.n_head, attention.d_k, x_new.dtype)
    cache.k[:, :, cache.n : cache.n + m] = k
    cache.v[:, :, cache.n : cache.n + m] = v
    cache.n += m
    scores = q @ cache.k[:, :, : cache.n].transpose(-1, -2) * attention.d_k**-0.5
    y = causal_softmax(scores, attention.causal) @ cache.v[:, :, : cache.n]
    return concat_and_project(y, attention.c_proj), cache


@torch.inference_mode()
def generate(model, ids, max_new_tokens, use_cache=True):
    B, n = ids.shape
    if n + max_new_tokens > model.n_positions:
        raise ValueError(f"{n + max_new_tokens} > {model.n_positions}")
    out = torch.empty(B, n + max_new_tokens, dtype=ids.dtype)
    out[:, :n] = ids
    cache, fed = None, 0
    for t in range(n, n + max_new_tokens):
        if use_cache:
            logits, cache = model(out[:, fed:t], cache=cache, start=fed)
            fed = t
        else:
            logits, _ = model(out[:, :t], cache=None, start=0)
        out[:, t] = logits[:, -1, :].max(dim=-1).indices
    return out
