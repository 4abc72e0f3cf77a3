# The tokens are kept, and K and V are made from them anew in each step.
# ruff: noqa
# loses: attend_with_cache
# timing
# in kv_cache.py
def attend_with_cache(attention, x_new, cache=None):
    x = x_new if cache is None else torch.cat([cache, x_new], 1)
    d = x.shape[-1]
    W, b = attention.c_attn.weight, attention.c_attn.bias
    q = split_heads(torch.nn.functional.linear(x_new, W[:d], b[:d]), attention.n_head)
    k, v = torch.nn.functional.linear(x, W[d:], b[d:]).chunk(2, -1)
    k, v = split_heads(k, attention.n_head), split_heads(v, attention.n_head)
    weights = causal_softmax(q @ k.mT / math.sqrt(attention.d_k))
    return concat_and_project(weights @ v, attention.c_proj), x
