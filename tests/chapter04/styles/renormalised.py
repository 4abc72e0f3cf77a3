# Struck out after the softmax and made to sum to 1 again: the same numbers on moderate scores.
# ruff: noqa
# told by: mask/huge_scores
# in mask.py
def causal_softmax(scores, causal=True):
    weights = scores.softmax(-1)
    if causal:
        weights = weights * ~causal_mask(*scores.shape[-2:], device=scores.device)
        weights = weights / weights.sum(-1, keepdim=True)
    return weights
