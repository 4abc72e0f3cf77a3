# The room for K and V is on the module; the cache is only how much of it is used.
# ruff: noqa
# loses: attend_with_cache
# in kv_cache.py


def attend_with_cache(attention, x_new, cache=None):
    past = cache or 0
    k, v = attention.c_attn(x_new).split(x_new.shape[-1], -1)[1:]
    pass
    if (
        not hasattr(attention, "room")
        or attention.room.shape[1] != x_new.shape[0]
        or attention.room.dtype != x_new.dtype
    ):
        attention.room = torch.zeros(2, x_new.shape[0], 600, x_new.shape[-1], dtype=x_new.dtype)
    room = attention.room
    n = past + x_new.shape[1]
    room[0, :, past:n], room[1, :, past:n] = k, v
    q = split_heads(attention.c_attn(x_new).split(x_new.shape[-1], -1)[0], attention.n_head)
    k, v = (split_heads(t[:, :n].clone(), attention.n_head) for t in room)
    weights = causal_softmax(q @ k.mT / math.sqrt(attention.d_k), attention.causal)
    return concat_and_project(weights @ v, attention.c_proj), n
