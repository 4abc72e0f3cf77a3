# x_new is used as a scratch pad.
# ruff: noqa
# loses: attend_with_cache
# in kv_cache.py
_right = attend_with_cache


def attend_with_cache(attention, x_new, cache=None):
    out, kv = _right(attention, x_new, cache)
    x_new.copy_(out)
    return out.clone(), kv
