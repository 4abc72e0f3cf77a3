# Works only where there are as many tokens as heads.
# ruff: noqa
# loses: merge_heads
# in heads.py
def merge_heads(y):
    B, h, n, d_k = y.shape
    return y.transpose(1, 2).reshape(B, h, n * d_k)
