# ruff: noqa
# loses: generate
# in kv_cache.py
@torch.no_grad()
def generate(model, ids, max_new_tokens, use_cache=True):
    if ids.shape[1] + max_new_tokens > model.n_positions:
        raise ValueError("too long")
    cache, start = None, 0
    for _ in range(max_new_tokens):
        logits, new = model(ids[:, start:], cache=cache, start=start)
        if use_cache:
            cache, start = new, ids.shape[1]
        ids = torch.cat([ids, logits[:, -1].topk(2).indices[:, 1:]], dim=1)
    return ids
