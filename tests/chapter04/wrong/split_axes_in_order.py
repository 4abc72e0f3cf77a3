# The heads stay behind the tokens.
# ruff: noqa
# loses: split_heads
# in heads.py
def split_heads(x, n_head):
    B, n, d = x.shape
    return x.view(B, n, n_head, d // n_head)
