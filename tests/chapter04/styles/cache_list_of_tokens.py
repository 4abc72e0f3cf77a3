# The cache is a list with one entry per token, and grows in place.
# ruff: noqa
# timing
# in kv_cache.py
def attend_with_cache(attention, x_new, cache=None):
    q, k, v = (split_heads(t, attention.n_head) for t in attention.c_attn(x_new).chunk(3, -1))
    if cache is None:
        cache = []
    for i in range(x_new.shape[1]):
        cache.append((k[:, :, i : i + 1], v[:, :, i : i + 1]))
    keys = torch.cat([k for k, _ in cache], dim=2)
    values = torch.cat([v for _, v in cache], dim=2)
    weights = causal_softmax(q @ keys.mT / math.sqrt(attention.d_k), attention.causal)
    return concat_and_project(weights @ values, attention.c_proj), cache
