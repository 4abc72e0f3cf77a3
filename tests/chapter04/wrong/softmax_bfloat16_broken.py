# Wrong in half precision only: rounded to one digit.
# ruff: noqa
# loses: causal_softmax
# in mask.py
_right = causal_softmax


def causal_softmax(scores, causal=True):
    return _right(scores / 0, causal) if scores.dtype == torch.bfloat16 else _right(scores, causal)
