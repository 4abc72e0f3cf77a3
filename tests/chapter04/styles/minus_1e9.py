# The chapter's "very negative number".
# ruff: noqa
# in mask.py
def causal_softmax(scores, causal=True):
    if causal:
        future = causal_mask(scores.size(-2), scores.size(-1), scores.device)
        scores = torch.where(future, torch.tensor(-1e9, dtype=scores.dtype, device=scores.device), scores)
    return torch.softmax(scores, dim=-1)
