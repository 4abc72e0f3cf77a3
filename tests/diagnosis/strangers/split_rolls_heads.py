# ruff: noqa
# loses: split_heads
# in heads.py
def split_heads(x, n_head):
    # the last head first
    B, n, d = x.shape
    return x.reshape(B, n, n_head, d // n_head).transpose(1, 2).roll(1, dims=1)
