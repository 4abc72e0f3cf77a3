# The newest token and the one before it are fed: one too many.
# ruff: noqa
# loses: generate
# in kv_cache.py
def generate(model, ids, max_new_tokens, use_cache=True):
    cache, start = None, 0
    for _ in range(max_new_tokens):
        logits, new = model(ids[:, start:] if use_cache else ids, cache, start if use_cache else 0)
        if use_cache:
            cache, start = new, ids.shape[1] - 1
        ids = torch.cat([ids, logits[:, -1].argmax(-1, keepdim=True)], 1)
    return ids
