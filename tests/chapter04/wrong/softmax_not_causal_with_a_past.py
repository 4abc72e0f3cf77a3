# With more keys than queries nothing is masked.
# ruff: noqa
# loses: causal_softmax
# in mask.py
_right = causal_softmax


def causal_softmax(scores, causal=True):
    return _right(scores, causal and scores.shape[-1] == scores.shape[-2])
