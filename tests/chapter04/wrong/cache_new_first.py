# New keys go in front: right for single tokens, wrong for several.
# ruff: noqa
# loses: attend_with_cache
# in kv_cache.py
def attend_with_cache(attention, x_new, cache=None):
    q, k, v = (split_heads(t, attention.n_head) for t in attention.c_attn(x_new).chunk(3, -1))
    if cache is not None:
        k, v = torch.cat([k, cache[0]], 2), torch.cat([v, cache[1]], 2)
    weights = causal_softmax(q @ k.mT / math.sqrt(attention.d_k), attention.causal)
    return concat_and_project(weights @ v, attention.c_proj), (k, v)
