# The tokens are kept, and attention runs over all of them again.
# ruff: noqa
# loses: attend_with_cache
# timing
# in kv_cache.py
def attend_with_cache(attention, x_new, cache=None):
    x = x_new if cache is None else torch.cat([cache, x_new], 1)
    return attention(x)[:, -x_new.shape[1] :], x
