# The prompt goes in first, then one token at a time; lists, topk, keywords.
# ruff: noqa
# in kv_cache.py
def generate(model, ids, max_new_tokens, use_cache=True):
    if max_new_tokens == 0:
        return ids
    if ids.shape[1] + max_new_tokens > model.n_positions:
        raise RuntimeError("too long")
    new = []
    logits, cache = model(ids, cache=None, start=0)
    for i in range(max_new_tokens):
        token = torch.topk(torch.softmax(logits[:, -1, :], dim=-1), k=1, dim=-1).indices
        new.append(token)
        if i == max_new_tokens - 1:
            break
        if use_cache:
            logits, cache = model(ids=token, start=ids.shape[1] + i, cache=cache)
        else:
            logits, _ = model(torch.cat([ids, *new], dim=1))
    return torch.cat([ids] + new, dim=1)
