# Dropout that is not switched off after training.
# ruff: noqa
# loses: MultiHeadAttention
# in attention.py
import torch


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        q, k, v = (split_heads(t, self.n_head) for t in self.c_attn(x).chunk(3, -1))
        weights = causal_softmax(q @ k.mT / math.sqrt(self.d_k), self.causal)
        return concat_and_project(torch.nn.functional.dropout(weights, 0.1) @ v, self.c_proj)
