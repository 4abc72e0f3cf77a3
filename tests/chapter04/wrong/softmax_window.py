# Only the last four tokens are seen.
# ruff: noqa
# loses: causal_softmax
# in mask.py
def causal_softmax(scores, causal=True):
    if causal:
        m, n = scores.shape[-2:]
        future = causal_mask(m, n, device=scores.device)
        long_ago = torch.ones(m, n, dtype=torch.bool).tril(n - m - 4)
        scores = scores.masked_fill(future | long_ago, float("-inf"))
    return scores.softmax(-1)
