# K and V in one tensor; a list is returned, not a tuple.
# ruff: noqa
# timing
# in kv_cache.py
def attend_with_cache(attention, x_new, cache=None):
    q, k, v = (split_heads(t, attention.n_head) for t in attention.c_attn(x_new).chunk(3, -1))
    kv = torch.stack([k, v])
    if cache is not None:
        kv = torch.cat([cache, kv], dim=3)
    k, v = kv
    weights = causal_softmax(q @ k.mT / math.sqrt(attention.d_k), attention.causal)
    return [concat_and_project(weights @ v, attention.c_proj), kv]
