# ruff: noqa
# loses: generate
# in kv_cache.py
_right = generate


def generate(model, ids, max_new_tokens, use_cache=True):
    out = _right(model, ids, max_new_tokens, use_cache)
    out = out.clone()
    out[:, -1] = out[:, 0]
    return out
