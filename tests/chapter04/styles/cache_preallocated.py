# The cache is an object with room for 1024 tokens; what is not filled yet is masked.
# ruff: noqa
# timing
# in kv_cache.py
class Cache:
    def __init__(self, like, room=1024):
        B, h, _, d_k = like.shape
        self.k = like.new_zeros(B, h, room, d_k)
        self.v = like.new_zeros(B, h, room, d_k)
        self.n = 0


def attend_with_cache(attention, x_new, cache=None):
    q, k, v = (split_heads(t, attention.n_head) for t in attention.c_attn(x_new).chunk(3, -1))
    cache = cache or Cache(k)
    m = x_new.shape[1]
    cache.k[:, :, cache.n : cache.n + m] = k
    cache.v[:, :, cache.n : cache.n + m] = v
    position = torch.arange(cache.n, cache.n + m, device=x_new.device)
    cache.n += m
    later = torch.arange(cache.k.shape[2], device=x_new.device)[None] > position[:, None]
    scores = (q @ cache.k.mT / math.sqrt(attention.d_k)).masked_fill(later, float("-inf"))
    return concat_and_project(scores.softmax(-1) @ cache.v, attention.c_proj), cache
