# A text that is too long simply ends, and nobody is told.
# loses: generate
# ruff: noqa
# in kv_cache.py
@torch.inference_mode()
def generate(model, ids, max_new_tokens, use_cache=True):
    out = torch.empty(ids.shape[0], ids.shape[1] + max_new_tokens, dtype=torch.long)
    out[:, : ids.shape[1]] = ids
    cache, n = None, ids.shape[1]
    if not use_cache:
        for t in range(n, min(out.shape[1], model.n_positions)):
            out[:, t] = model(out[:, :t])[0][:, -1].max(dim=-1)[1]
        return out
    for t in range(min(out.shape[1], model.n_positions)):
        logits, cache = model(out[:, t : t + 1], cache, t)
        if n <= t + 1 < out.shape[1]:
            out[:, t + 1] = logits[:, 0].argmax(-1)
    return out
