# Even the prompt goes in token by token; the last token is fed for nothing.
# ruff: noqa
# in kv_cache.py
@torch.inference_mode()
def generate(model, ids, max_new_tokens, use_cache=True):
    assert ids.shape[1] + max_new_tokens <= model.n_positions
    out = torch.empty(ids.shape[0], ids.shape[1] + max_new_tokens, dtype=torch.long)
    out[:, : ids.shape[1]] = ids
    cache, n = None, ids.shape[1]
    if not use_cache:
        for t in range(n, out.shape[1]):
            out[:, t] = model(out[:, :t])[0][:, -1].max(dim=-1)[1]
        return out
    for t in range(out.shape[1]):
        logits, cache = model(out[:, t : t + 1], cache, t)
        if n <= t + 1 < out.shape[1]:
            out[:, t + 1] = logits[:, 0].argmax(-1)
    return out
