# The default list is made once and never emptied.
# ruff: noqa
# loses: attend_with_cache
# in kv_cache.py
_right = attend_with_cache


def attend_with_cache(attention, x_new, cache=[]):
    cache = [] if cache is None else cache
    out, kv = _right(attention, x_new, tuple(cache) if cache else None)
    cache[:] = kv
    return out, cache
