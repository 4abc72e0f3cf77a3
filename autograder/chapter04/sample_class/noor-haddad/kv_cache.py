import math

import torch

from exercises.attention import concat_and_project
from exercises.heads import split_heads
from exercises.mask import causal_softmax


def attend_with_cache(attention, x_new, cache=None):
    B, m, d = x_new.shape
    q, k, v = attention.c_attn(x_new).split(d, dim=2)
    q = split_heads(q, attention.n_head)
    k = split_heads(k, attention.n_head)
    v = split_heads(v, attention.n_head)
    if cache is not None:
        k = torch.cat([cache[0], k], dim=2)
        v = torch.cat([cache[1], v], dim=2)
    att = q @ k.transpose(-2, -1) / math.sqrt(attention.d_k)
    att = causal_softmax(att, attention.causal)
    return concat_and_project(att @ v, attention.c_proj), (k, v)


@torch.no_grad()
def generate(model, ids, max_new_tokens, use_cache=True):
    if ids.shape[1] + max_new_tokens > model.n_positions:
        raise ValueError("too long for this model")
    cache = None
    new, start = ids, 0
    for _ in range(max_new_tokens):
        logits, cache = model(new, cache=cache if use_cache else None, start=start)
        next_id = logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, next_id], dim=1)
        if use_cache:
            new, start = next_id, ids.shape[1] - 1
        else:
            new, start = ids, 0
    return ids
