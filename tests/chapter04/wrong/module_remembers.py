# The sentence before leaves something behind.
# ruff: noqa
# loses: MultiHeadAttention
# may lose: gpt2
# in attention.py
import torch


class MultiHeadAttention(MultiHeadAttention):
    last = 0.0

    def forward(self, x):
        y = super().forward(x) + 0.01 * self.last
        self.last = float(y.sum())
        return y
