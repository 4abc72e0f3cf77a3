# Asked for nothing, it still writes one token.
# ruff: noqa
# loses: generate
# in kv_cache.py
_right = generate


def generate(model, ids, max_new_tokens, use_cache=True):
    return _right(model, ids, max(1, max_new_tokens), use_cache)
