# The same with PyTorch's fast attention: still the whole text each time.
# ruff: noqa
# loses: attend_with_cache
# timing
# in kv_cache.py
def attend_with_cache(attention, x_new, cache=None):
    x = x_new if cache is None else torch.cat([cache, x_new], 1)
    q, k, v = (split_heads(t, attention.n_head) for t in attention.c_attn(x).chunk(3, -1))
    y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    return concat_and_project(y, attention.c_proj)[:, -x_new.shape[1] :], x
