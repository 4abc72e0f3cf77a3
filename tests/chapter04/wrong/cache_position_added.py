# A position is added to the new tokens: that is the model's work.
# ruff: noqa
# loses: attend_with_cache
# may lose: gpt2
# in kv_cache.py
_right = attend_with_cache


def attend_with_cache(attention, x_new, cache=None):
    past = 0 if cache is None else cache[0].shape[2]
    return _right(attention, x_new + 0.01 * past, cache)
