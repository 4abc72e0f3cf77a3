import torch

from .heads import merge_heads, split_heads


def attend_with_cache(attention, x_new, cache=None):
    """The cache is a list with one (k, v) per token."""
    q, k, v = (split_heads(t, attention.n_head) for t in attention.c_attn(x_new).chunk(3, -1))
    past = list(cache or [])
    outs = []
    for t in range(x_new.shape[1]):
        past.append((k[:, :, t], v[:, :, t]))
        keys, values = (torch.stack(part, dim=2) for part in zip(*past, strict=True))
        w = (q[:, :, t : t + 1] @ keys.mT / attention.d_k**0.5).softmax(-1)
        outs.append(w @ values)
    return attention.c_proj(merge_heads(torch.cat(outs, dim=2))), past


def generate(model, ids, max_new_tokens, use_cache=True):
    if ids.size(1) + max_new_tokens > model.n_positions:
        raise ValueError("too long")
    if not use_cache:
        for _ in range(max_new_tokens):
            logits, _ = model(ids)
            ids = torch.hstack([ids, logits[:, -1:].argmax(-1)])
        return ids
    cache = None
    for t in range(ids.shape[1]):  # the prompt, one token after another
        logits, cache = model(ids[:, t : t + 1], cache, t)
    for _ in range(max_new_tokens):
        ids = torch.cat((ids, logits[:, -1].argmax(-1)[:, None]), 1)
        if _ < max_new_tokens - 1:
            logits, cache = model(ids[:, -1:], cache, ids.shape[1] - 1)
    return ids
