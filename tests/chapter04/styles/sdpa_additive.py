# PyTorch's own attention with a mask of -inf that is added.
# ruff: noqa
# in attention.py
import torch
import torch.nn.functional as F


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        q, k, v = (split_heads(t, self.n_head) for t in self.c_attn(x).chunk(3, -1))
        mask = None
        if self.causal:
            mask = torch.full((x.shape[1], x.shape[1]), float("-inf"), dtype=x.dtype, device=x.device).triu(1)
        return concat_and_project(F.scaled_dot_product_attention(q, k, v, attn_mask=mask), self.c_proj)
