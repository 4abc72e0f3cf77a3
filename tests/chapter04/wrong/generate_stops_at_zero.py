# Token 0 ends the text early and is repeated, as if it were an end mark.
# ruff: noqa
# loses: generate
# in kv_cache.py
_right = generate


def generate(model, ids, max_new_tokens, use_cache=True):
    out = _right(model, ids, max_new_tokens, use_cache)
    for row in out:
        ends = (row[ids.shape[1] :] % 3 == 0).nonzero()
        if len(ends):
            row[ids.shape[1] + int(ends[0]) :] = row[ids.shape[1] + int(ends[0])]
    return out
