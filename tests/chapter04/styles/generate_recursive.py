# Recursion, and a batch that is done one text at a time would not do: all at once.
# ruff: noqa
# in kv_cache.py
def generate(model, ids, max_new_tokens, use_cache=True, _cache=None, _start=0):
    if ids.shape[1] + max_new_tokens > model.n_positions:
        raise ValueError("too long")
    if max_new_tokens < 1:
        return ids.clone()
    logits, cache = model(ids[:, _start:], _cache, start=torch.tensor(_start).item())
    ids = torch.concat((ids, logits[:, -1].argmax(dim=-1)[:, None]), dim=1)
    after = (cache, ids.shape[1] - 1) if use_cache else (None, 0)
    return generate(model, ids, max_new_tokens - 1, use_cache, *after)
