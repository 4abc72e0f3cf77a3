# Ones and zeros instead of true and false.
# ruff: noqa
# loses: causal_mask
# in mask.py
_bool = causal_mask


def causal_mask(n_query, n_key=None, device=None):
    return _bool(n_query, n_key, device).to(torch.uint8)
