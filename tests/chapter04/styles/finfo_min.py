# The other one that the chapter names.
# ruff: noqa
# in mask.py
def causal_softmax(scores, causal=True):
    if causal:
        future = causal_mask(*scores.shape[-2:], device=scores.device)
        scores = scores.masked_fill(future, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1)
