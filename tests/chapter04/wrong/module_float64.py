# Computed and returned in double precision.
# ruff: noqa
# loses: MultiHeadAttention
# in attention.py
import torch


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        import copy

        return super(MultiHeadAttention, copy.deepcopy(self).double()).forward(x.double())
