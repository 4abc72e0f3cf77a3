# Works for (B, h, n, n) only.
# ruff: noqa
# loses: causal_softmax
# in mask.py
_right = causal_softmax


def causal_softmax(scores, causal=True):
    B, h, m, n = scores.shape
    return _right(scores, causal)
