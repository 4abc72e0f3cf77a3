# Every position is one too high.
# ruff: noqa
# loses: generate
# in kv_cache.py
def generate(model, ids, max_new_tokens, use_cache=True):
    cache, start = None, 0
    for _ in range(max_new_tokens):
        logits, new = model(ids[:, start:], cache, start + 1 if use_cache else 0)
        if use_cache:
            cache, start = new, ids.shape[1]
        ids = torch.cat([ids, logits[:, -1].argmax(-1, keepdim=True)], 1)
    return ids
