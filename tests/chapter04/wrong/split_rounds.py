# The numbers lose digits on the way.
# ruff: noqa
# loses: split_heads
# in heads.py
def split_heads(x, n_head):
    B, n, d = x.shape
    return x.half().to(x.dtype).view(B, n, n_head, d // n_head).transpose(1, 2)
