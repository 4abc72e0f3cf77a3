# chunk and stack in, permute and flatten out.
# ruff: noqa
# in heads.py
import torch


def split_heads(x, n_head):
    if x.shape[-1] % n_head:
        raise ValueError("d_model % n_head != 0")
    return torch.stack(torch.chunk(x, n_head, dim=-1)).permute(1, 0, 2, 3)


def merge_heads(y):
    return y.permute(0, 2, 1, 3).flatten(2)
