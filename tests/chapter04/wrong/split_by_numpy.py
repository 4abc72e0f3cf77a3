# Right values, but only in main memory, and no gradient comes through.
# ruff: noqa
# loses: split_heads
# in heads.py
import torch


def split_heads(x, n_head):
    B, n, d = x.shape
    y = x.detach().double().numpy().reshape(B, n, n_head, d // n_head).swapaxes(1, 2)
    return torch.from_numpy(y.copy()).to(x.dtype)
