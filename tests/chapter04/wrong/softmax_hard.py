# All weight on the best score.
# ruff: noqa
# loses: causal_softmax
# in mask.py
_soft = causal_softmax


def causal_softmax(scores, causal=True):
    return _soft(scores * 1e4, causal)
