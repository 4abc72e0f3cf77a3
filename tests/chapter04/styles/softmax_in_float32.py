# Half precision goes through float32, as in transformers.
# ruff: noqa
# in mask.py
def causal_softmax(scores, causal=True):
    masked = scores
    if causal:
        masked = scores.masked_fill(causal_mask(*scores.shape[-2:], device=scores.device), float("-inf"))
    return torch.softmax(masked, dim=-1, dtype=torch.float32).type_as(scores)
