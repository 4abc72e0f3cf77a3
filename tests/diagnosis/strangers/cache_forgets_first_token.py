# ruff: noqa
# loses: attend_with_cache
# in kv_cache.py
_right = attend_with_cache


def attend_with_cache(attention, x_new, cache=None):
    if cache is not None:
        cache = tuple(t[:, :, 1:] for t in cache)
    return _right(attention, x_new, cache)
