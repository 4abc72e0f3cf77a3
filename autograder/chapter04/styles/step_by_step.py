# A cache that grows in place of a new one only where nobody sees it, and a loop that feeds first and asks later.
# ruff: noqa
# mypy: ignore-errors
# in kv_cache.py
def attend_with_cache(attention, x_new, cache=None):
    outs = []
    for t in range(x_new.shape[1]):
        q, k, v = attention.c_attn(x_new[:, t : t + 1]).chunk(3, dim=-1)
        q, k, v = (split_heads(a, attention.n_head) for a in (q, k, v))
        if cache is not None:
            k, v = torch.cat([cache[0], k], dim=2), torch.cat([cache[1], v], dim=2)
        cache = (k, v)
        outs.append(concat_and_project((q @ k.mT * attention.d_k**-0.5).softmax(-1) @ v, attention.c_proj))
    if not attention.causal:
        q = split_heads(attention.c_attn(x_new).chunk(3, dim=-1)[0], attention.n_head)
        return concat_and_project((q @ k.mT * attention.d_k**-0.5).softmax(-1) @ v, attention.c_proj), cache
    return torch.cat(outs, dim=1), cache


@torch.no_grad()
def generate(model, ids, max_new_tokens, use_cache=True):
    if ids.size(1) + max_new_tokens > model.n_positions:
        raise ValueError("too long")
    if max_new_tokens == 0:
        return ids
    logits, cache = model(ids)
    for i in range(max_new_tokens):
        new = logits[:, -1:].argmax(-1)
        ids = torch.cat((ids, new), 1)
        if i + 1 < max_new_tokens:
            logits, cache = model(new, cache, ids.size(1) - 1) if use_cache else model(ids)
    return ids
