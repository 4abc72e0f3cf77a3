import torch
import torch.nn.functional as F

import exercises.heads as heads
import exercises.mask as mask
from exercises.attention import concat_and_project


def attend_with_cache(attention, x_new, cache=None):
    w, b = attention.c_attn.weight.chunk(3), attention.c_attn.bias.chunk(3)
    q, k, v = (heads.split_heads(F.linear(x_new, w[i], b[i]), attention.n_head) for i in range(3))
    if cache is None:
        cache = (k[:, :, :0], v[:, :, :0])
    cache = [torch.cat(pair, dim=2) for pair in zip(cache, (k, v), strict=True)]
    a = mask.causal_softmax(q @ cache[0].mT / attention.d_k**0.5, attention.causal)
    return [concat_and_project(a @ cache[1], attention.c_proj), cache]


def generate(model, ids, max_new_tokens, use_cache=True):
    if ids.shape[1] + max_new_tokens > model.n_positions:
        raise ValueError("too long")
    if max_new_tokens == 0:
        return ids
    start = 0
    cache = None
    ids = ids.clone()
    while max_new_tokens:
        logits, cache = model(ids[:, start:], cache=cache if use_cache else None, start=start)
        start = ids.shape[1] if use_cache else 0
        ids = torch.cat([ids, logits.argmax(-1)[:, -1:]], 1)
        max_new_tokens -= 1
    return ids
