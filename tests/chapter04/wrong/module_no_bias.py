# c_attn's bias is forgotten.
# ruff: noqa
# loses: MultiHeadAttention
# in attention.py
import torch


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        q, k, v = (split_heads(t, self.n_head) for t in (x @ self.c_attn.weight.T).chunk(3, -1))
        return concat_and_project(
            causal_softmax(q @ k.mT / math.sqrt(self.d_k), self.causal) @ v, self.c_proj
        )
