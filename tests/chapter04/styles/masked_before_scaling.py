# First the mask, then the scale; queries and keys each get half of the scale elsewhere.
# ruff: noqa
# in attention.py
class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        q, k, v = map(lambda t: split_heads(t, self.n_head), self.c_attn(x).chunk(3, dim=-1))
        scores = q.matmul(k.transpose(2, 3))
        if self.causal:
            n = x.shape[1]
            future = scores.new_ones(n, n).triu(1).bool()
            scores = scores.masked_fill(future[None, None], float("-inf"))
        return concat_and_project((scores / math.sqrt(self.d_k)).softmax(3).matmul(v), self.c_proj)


# in kv_cache.py
def attend_with_cache(attention, x_new, cache=None):
    q, k, v = (split_heads(t, attention.n_head) for t in attention.c_attn(x_new).chunk(3, -1))
    q, k = q * attention.d_k**-0.25, k * attention.d_k**-0.25
    if cache is not None:
        k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
    return concat_and_project(causal_softmax(q @ k.mT, attention.causal) @ v, attention.c_proj), (k, v)
