# The prompt is not masked; what comes later is.
# ruff: noqa
# loses: attend_with_cache
# in kv_cache.py
def attend_with_cache(attention, x_new, cache=None):
    q, k, v = (split_heads(t, attention.n_head) for t in attention.c_attn(x_new).chunk(3, -1))
    if cache is not None:
        k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
    weights = causal_softmax(q @ k.mT / math.sqrt(attention.d_k), causal=cache is not None)
    return concat_and_project(weights @ v, attention.c_proj), (k, v)
