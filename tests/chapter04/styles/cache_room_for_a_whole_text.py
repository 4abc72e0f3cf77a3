# K and V in memory for as many positions as the kit's model has, taken once; the cache is that and a length.
# timing
# ruff: noqa
# in kv_cache.py
ROOM = 512


def attend_with_cache(attention, x_new, cache=None):
    q, k, v = (split_heads(t, attention.n_head) for t in attention.c_attn(x_new).chunk(3, dim=-1))
    past, m = (0 if cache is None else cache[1]), x_new.shape[1]
    both = k.new_zeros(2, *k.shape[:2], ROOM, k.shape[3]) if cache is None else cache[0]
    if cache is not None and cache[2][0] != past:
        both = both.clone()
    both[0, :, :, past : past + m], both[1, :, :, past : past + m] = k, v
    used = [past + m]
    k, v = both[:, :, :, : past + m]
    weights = causal_softmax(q @ k.mT / math.sqrt(attention.d_k), attention.causal)
    return concat_and_project(weights @ v, attention.c_proj), (both, past + m, used)
