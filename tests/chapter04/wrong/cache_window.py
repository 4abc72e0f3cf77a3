# The cache keeps the last four tokens.
# ruff: noqa
# loses: attend_with_cache
# in kv_cache.py
_right = attend_with_cache


def attend_with_cache(attention, x_new, cache=None):
    out, (k, v) = _right(attention, x_new, cache)
    return out, (k[:, :, -4:], v[:, :, -4:])
