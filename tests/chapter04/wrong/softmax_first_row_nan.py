# The first token, alone with itself, is divided by zero.
# ruff: noqa
# loses: causal_softmax
# in mask.py
_right = causal_softmax


def causal_softmax(scores, causal=True):
    weights = _right(scores, causal)
    return weights / (weights.sum(-1, keepdim=True) * (torch.arange(scores.shape[-2]) > 0)[:, None])
