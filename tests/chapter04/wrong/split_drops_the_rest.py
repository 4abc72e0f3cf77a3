# Slices by index: when they are not equal, the last numbers of each token are left out.
# ruff: noqa
# loses: split_heads
# in heads.py
import torch


def split_heads(x, n_head):
    d_k = x.shape[-1] // n_head
    return torch.stack([x[:, :, i * d_k : (i + 1) * d_k] for i in range(n_head)], dim=1)
