# Everything becomes double precision.
# ruff: noqa
# loses: merge_heads
# in heads.py
def merge_heads(y):
    B, h, n, d_k = y.shape
    return y.double().transpose(1, 2).reshape(B, n, h * d_k)
