# All sentences of a batch look at the first one's keys.
# ruff: noqa
# loses: MultiHeadAttention
# in attention.py
import torch


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        q, k, v = (split_heads(t, self.n_head) for t in self.c_attn(x).chunk(3, -1))
        return concat_and_project(
            causal_softmax(q @ k[:1].mT / math.sqrt(self.d_k), self.causal) @ v, self.c_proj
        )
