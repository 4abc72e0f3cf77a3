# Impossible on small scores, but large ones bring the future back.
# ruff: noqa
# loses: causal_softmax
# in mask.py
def causal_softmax(scores, causal=True):
    if causal:
        scores = scores.masked_fill(causal_mask(*scores.shape[-2:], device=scores.device), -100.0)
    return scores.softmax(-1)
