# One sentence after the other in every step, each with its own cache.
# ruff: noqa
# in kv_cache.py
def generate(model, ids, max_new_tokens, use_cache=True):
    if ids.shape[1] + max_new_tokens > model.n_positions:
        raise ValueError("too long")
    texts, caches, seen = list(ids.split(1)), [None] * len(ids), 0
    for _ in range(max_new_tokens):
        for b in reversed(range(len(texts))):
            logits, cache = model(texts[b][:, seen:], cache=caches[b], start=seen)
            if use_cache:
                caches[b] = cache
            texts[b] = torch.cat([texts[b], logits[:, -1:].argmax(-1)], 1)
        if use_cache:
            seen = texts[0].shape[1] - 1
    return torch.cat(texts)
