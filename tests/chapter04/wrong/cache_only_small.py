# Right up to seven tokens.
# ruff: noqa
# loses: attend_with_cache
# in kv_cache.py
_right = attend_with_cache


def attend_with_cache(attention, x_new, cache=None):
    out, (k, v) = _right(attention, x_new, cache)
    return out, (k[:, :, :7], v[:, :, :7])
