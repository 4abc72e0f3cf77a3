# The cache is a list [K, V] that is changed and returned.
# ruff: noqa
# told by: kv_cache/the_old_cache_stays
# timing
# in kv_cache.py
def attend_with_cache(attention, x_new, cache=None):
    q, k, v = (split_heads(t, attention.n_head) for t in attention.c_attn(x_new).chunk(3, -1))
    if cache is None:
        cache = [k, v]
    else:
        cache[0] = torch.cat([cache[0], k], 2)
        cache[1] = torch.cat([cache[1], v], 2)
    k, v = cache
    weights = causal_softmax(q @ k.mT / math.sqrt(attention.d_k), attention.causal)
    return concat_and_project(weights @ v, attention.c_proj), cache
