# The number of heads of GPT-2 small is written in: right inside GPT-2, wrong elsewhere.
# ruff: noqa
# loses: MultiHeadAttention
# in attention.py
import torch


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        q, k, v = (split_heads(t, 12) for t in self.c_attn(x).chunk(3, -1))
        return concat_and_project(
            causal_softmax(q @ k.mT / math.sqrt(self.d_k), self.causal) @ v, self.c_proj
        )
