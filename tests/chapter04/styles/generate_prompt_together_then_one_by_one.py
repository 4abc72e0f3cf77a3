# The prompts go in as one batch, in two pieces; then each sentence goes on with its slice of the cache.
# ruff: noqa
# in kv_cache.py
def generate(model, ids, max_new_tokens, use_cache=True):
    B, n = ids.shape
    if n + max_new_tokens > model.n_positions:
        raise ValueError("too long")
    if max_new_tokens == 0:
        return ids.clone()
    if not use_cache:
        for _ in range(max_new_tokens):
            ids = torch.cat([ids, model(ids, cache=(), start=0)[0][:, -1:].argmax(-1)], 1)
        return ids
    half = n // 2
    cache = []
    if half:
        _, cache = model(ids[:, :half], cache=[], start=0)
    logits, cache = model(ids[:, half:], cache, half)
    first = logits[:, -1:].argmax(-1)
    rows = []
    for b in range(B):
        text, kept = (
            torch.cat([ids[b : b + 1], first[b : b + 1]], 1),
            [(k[b : b + 1], v[b : b + 1]) for k, v in cache],
        )
        while text.shape[1] < n + max_new_tokens:
            logits, kept = model(text[:, -1:], kept, text.shape[1] - 1)
            text = torch.cat([text, logits[:, -1:].argmax(-1)], 1)
        rows.append(text)
    return torch.cat(rows)
