# x is added: that is the block's work.
# ruff: noqa
# loses: MultiHeadAttention, gpt2
# in attention.py
import torch


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        return x + super().forward(x)
