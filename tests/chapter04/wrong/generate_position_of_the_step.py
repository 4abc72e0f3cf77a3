# The position is the number of the step.
# ruff: noqa
# loses: generate
# in kv_cache.py
def generate(model, ids, max_new_tokens, use_cache=True):
    cache, new = None, ids
    for i in range(max_new_tokens):
        logits, cache = model(
            new if use_cache else ids, cache if use_cache else None, start=i if use_cache else 0
        )
        new = logits[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, new], 1)
    return ids
