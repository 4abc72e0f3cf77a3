# ruff: noqa
# loses: MultiHeadAttention
# in attention.py
def _forward(self, x):
    q, k, v = (split_heads(t, self.n_head) for t in self.c_attn(x).chunk(3, -1))
    weights = causal_softmax(q @ k.mT / self.d_k ** (1 / 3), self.causal)
    return concat_and_project(weights @ v, self.c_proj)


MultiHeadAttention.forward = _forward
