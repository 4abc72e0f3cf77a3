# ruff: noqa
# loses: causal_softmax
# in mask.py
def causal_softmax(scores, causal=True):
    if causal:
        scores = scores.masked_fill(causal_mask(*scores.shape[-2:], device=scores.device), float("-inf"))
    return (scores / 1.7).softmax(dim=-1)
