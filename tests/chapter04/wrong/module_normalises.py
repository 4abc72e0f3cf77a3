# x is normalised first: that is the block's work.
# ruff: noqa
# loses: MultiHeadAttention
# in attention.py
import torch


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        return super().forward(torch.nn.functional.layer_norm(x, x.shape[-1:]))
