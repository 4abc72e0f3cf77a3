# Right values, but no gradient comes through.
# ruff: noqa
# loses: merge_heads
# in heads.py
import torch


def merge_heads(y):
    B, h, n, d_k = y.shape
    return torch.tensor(y.detach().transpose(1, 2).reshape(B, n, h * d_k).tolist(), dtype=y.dtype)
