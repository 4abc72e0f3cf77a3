# c_attn as three layers.
# ruff: noqa
# in attention.py
import torch.nn.functional as F


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        W, b = self.c_attn.weight.chunk(3), self.c_attn.bias.chunk(3)
        q, k, v = (split_heads(F.linear(x, W[i], b[i]), self.n_head) for i in range(3))
        q = q / self.d_k**0.5
        return concat_and_project(causal_softmax(q @ k.mT, self.causal) @ v, self.c_proj)
