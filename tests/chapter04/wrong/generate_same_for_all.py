# All texts of a batch get the first one's next token.
# ruff: noqa
# loses: generate
# in kv_cache.py
def generate(model, ids, max_new_tokens, use_cache=True):
    if ids.shape[1] + max_new_tokens > model.n_positions:
        raise ValueError
    cache, start = None, 0
    for _ in range(max_new_tokens):
        logits, new = model(ids[:, start:], cache, start)
        if use_cache:
            cache, start = new, ids.shape[1]
        ids = torch.cat([ids, logits[:1, -1].argmax(-1, keepdim=True).expand(ids.shape[0], 1)], 1)
    return ids
