# As the first GPT-2 had it.
# ruff: noqa
# in mask.py
def causal_softmax(scores, causal=True):
    if causal:
        b = (~causal_mask(scores.shape[-2], scores.shape[-1], device=scores.device)).to(scores.dtype)
        scores = scores * b - 1e4 * (1 - b)
    return scores.softmax(dim=-1)
