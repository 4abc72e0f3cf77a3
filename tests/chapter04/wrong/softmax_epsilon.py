# A little is added so that nothing is exactly 0.
# ruff: noqa
# loses: causal_softmax
# in mask.py
_exact = causal_softmax


def causal_softmax(scores, causal=True):
    weights = _exact(scores, causal) + 1e-6
    return weights / weights.sum(-1, keepdim=True)
