# Each sentence of the batch on its own, with a cache of its own; equal ones too.
# ruff: noqa
# in kv_cache.py
def generate(model, ids, max_new_tokens, use_cache=True):
    if ids.shape[1] + max_new_tokens > model.n_positions:
        raise ValueError("too long")
    out = []
    for row in ids:
        text, cache, start = row[None], None, 0
        for _ in range(max_new_tokens):
            logits, new = model(text[:, start:], cache, start)
            if use_cache:
                cache, start = new, text.shape[1]
            text = torch.cat([text, logits[:, -1].argmax(-1, keepdim=True)], 1)
        out.append(text)
    return torch.cat(out)
