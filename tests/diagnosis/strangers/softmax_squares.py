# ruff: noqa
# loses: causal_softmax
# in mask.py
def causal_softmax(scores, causal=True):
    e = scores.square()
    if causal:
        e = e.masked_fill(causal_mask(*scores.shape[-2:], device=scores.device), 0)
    return e / e.sum(-1, keepdim=True)
