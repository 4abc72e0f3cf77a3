# Room for all tokens, and views of what is filled: the cache is a tuple (K, V, n).
# ruff: noqa
# timing
# in kv_cache.py
def attend_with_cache(attention, x_new, cache=None):
    q, k, v = (split_heads(t, attention.n_head) for t in attention.c_attn(x_new).chunk(3, -1))
    m = k.size(2)
    if cache is None:
        cache = (
            torch.empty(*k.shape[:2], 2048, k.shape[3], dtype=k.dtype),
            torch.empty(*k.shape[:2], 2048, k.shape[3], dtype=k.dtype),
            0,
        )
    K, V, n = cache
    K[:, :, n : n + m].copy_(k)
    V[:, :, n : n + m].copy_(v)
    k, v = K[:, :, : n + m], V[:, :, : n + m]
    weights = causal_softmax(q @ k.mT / math.sqrt(attention.d_k), attention.causal)
    return concat_and_project(weights @ v, attention.c_proj), (K, V, n + m)
