# The first mask of so many queries is kept, whatever the number of keys.
# ruff: noqa
# loses: causal_mask
# in mask.py
_fresh, _kept = causal_mask, {}


def causal_mask(n_query, n_key=None, device=None):
    if n_query not in _kept:
        _kept[n_query] = _fresh(n_query, n_key, device)
    return _kept[n_query]
