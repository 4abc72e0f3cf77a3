# What was kept is turned round: harmless to the outputs of single tokens, but K and V have changed.
# ruff: noqa
# loses: attend_with_cache
# in kv_cache.py
_right = attend_with_cache


def attend_with_cache(attention, x_new, cache=None):
    m = x_new.shape[1]
    out, (k, v) = _right(attention, x_new, cache)
    n = k.shape[2] - m
    old, new = torch.arange(n).flip(0), torch.arange(n, n + m)
    order = torch.cat([old, new])
    return out, (k[:, :, order], v[:, :, order])
