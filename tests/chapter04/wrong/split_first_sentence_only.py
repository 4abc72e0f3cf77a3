# Right for one sentence; of a batch every sentence becomes the first.
# ruff: noqa
# loses: split_heads
# in heads.py
def split_heads(x, n_head):
    B, n, d = x.shape
    first = x[0].view(n, n_head, d // n_head).transpose(0, 1)
    return first.expand(B, n_head, n, d // n_head)
