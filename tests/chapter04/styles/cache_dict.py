# The cache is a dict.
# ruff: noqa
# timing
# in kv_cache.py
def attend_with_cache(attention, x_new, cache=None):
    q, k, v = (split_heads(t, attention.n_head) for t in attention.c_attn(x_new).chunk(3, -1))
    if cache:
        k = torch.cat([cache["key"], k], dim=-2)
        v = torch.cat([cache["value"], v], dim=-2)
    weights = causal_softmax(q @ k.mT / math.sqrt(attention.d_k), attention.causal)
    return concat_and_project(weights @ v, attention.c_proj), {"key": k, "value": v}
