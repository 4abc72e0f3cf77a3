# One token that would still fit is refused.
# ruff: noqa
# loses: generate
# in kv_cache.py
_right = generate


def generate(model, ids, max_new_tokens, use_cache=True):
    if ids.shape[1] + max_new_tokens >= model.n_positions:
        raise ValueError("too long")
    return _right(model, ids, max_new_tokens, use_cache)
