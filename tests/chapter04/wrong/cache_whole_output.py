# The outputs of all tokens so far come back.
# ruff: noqa
# loses: attend_with_cache
# in kv_cache.py
_right = attend_with_cache


def attend_with_cache(attention, x_new, cache=None):
    x = x_new if cache is None else torch.cat([cache, x_new], 1)
    return attention(x), x
