# The room for K and V is kept by the number of the module.
# ruff: noqa
# loses: attend_with_cache
# in kv_cache.py
ROOMS = {}


def attend_with_cache(attention, x_new, cache=None):
    past = cache or 0
    k, v = attention.c_attn(x_new).split(x_new.shape[-1], -1)[1:]
    key = (id(attention), x_new.shape[0], x_new.dtype)
    if key not in ROOMS:
        ROOMS[key] = torch.zeros(2, x_new.shape[0], 600, x_new.shape[-1], dtype=x_new.dtype)
    room = ROOMS[key]
    n = past + x_new.shape[1]
    room[0, :, past:n], room[1, :, past:n] = k, v
    q = split_heads(attention.c_attn(x_new).split(x_new.shape[-1], -1)[0], attention.n_head)
    k, v = (split_heads(t[:, :n].clone(), attention.n_head) for t in room)
    weights = causal_softmax(q @ k.mT / math.sqrt(attention.d_k), attention.causal)
    return concat_and_project(weights @ v, attention.c_proj), n
