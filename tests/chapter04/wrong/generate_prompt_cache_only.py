# The prompt's cache is passed in every step.
# ruff: noqa
# loses: generate
# in kv_cache.py
def generate(model, ids, max_new_tokens, use_cache=True):
    first, start = None, 0
    for _ in range(max_new_tokens):
        logits, new = model(
            ids[:, start:] if use_cache else ids, first if use_cache else None, start if use_cache else 0
        )
        first, start = first or new, ids.shape[1]
        ids = torch.cat([ids, logits[:, -1].argmax(-1, keepdim=True)], 1)
    return ids
