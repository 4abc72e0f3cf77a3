# ruff: noqa
# loses: MultiHeadAttention
# in attention.py
def _forward(self, x):
    q, k, v = (split_heads(t, self.n_head) for t in self.c_attn(x).chunk(3, -1))
    weights = causal_softmax(q @ k.mT / self.d_k**0.5, self.causal)
    flat = causal_softmax(0 * (q @ k.mT), self.causal)
    return concat_and_project((0.9 * weights + 0.1 * flat) @ v, self.c_proj)


MultiHeadAttention.forward = _forward
