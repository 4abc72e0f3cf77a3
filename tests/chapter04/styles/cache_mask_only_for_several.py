# A single new token needs no mask; the first tokens go through the module's own forward.
# ruff: noqa
# timing
# in kv_cache.py
def attend_with_cache(attention, x_new, cache=None):
    q, k, v = (split_heads(t, attention.n_head) for t in attention.c_attn(x_new).chunk(3, -1))
    if cache is None:
        return attention(x_new), (k, v)
    k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
    scores = q @ k.mT / math.sqrt(attention.d_k)
    m, n = scores.shape[-2:]
    if m > 1:
        scores = scores.masked_fill(torch.ones(m, n).triu(n - m + 1).bool(), float("-inf"))
    return concat_and_project(scores.softmax(-1) @ v, attention.c_proj), (k, v)
