# Right values, but x itself is changed afterwards.
# ruff: noqa
# loses: split_heads
# in heads.py
def split_heads(x, n_head):
    B, n, d = x.shape
    y = x.clone().view(B, n, n_head, d // n_head).transpose(1, 2)
    x.zero_()
    return y
