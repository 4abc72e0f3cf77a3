# The future's value does not come through, but its gradient does.
# ruff: noqa
# loses: MultiHeadAttention
# in attention.py
import torch


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        mean = x.mean(1, keepdim=True)
        return super().forward(x) + (mean - mean.detach())
