# The heads are scaled in place and lost to the caller.
# ruff: noqa
# loses: concat_and_project
# in attention.py
def concat_and_project(y, c_proj):
    out = c_proj(merge_heads(y))
    with torch.no_grad():
        y.mul_(0)
    return out


import torch
