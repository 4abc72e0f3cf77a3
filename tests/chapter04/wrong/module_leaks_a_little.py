# A thousandth of the sentence's mean is added to every token.
# ruff: noqa
# loses: MultiHeadAttention
# in attention.py
import torch


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        return super().forward(x) + 1e-3 * x.mean(1, keepdim=True)
