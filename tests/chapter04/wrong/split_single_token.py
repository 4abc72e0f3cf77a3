# Wrong for one token only: squeeze takes its axis away.
# ruff: noqa
# loses: split_heads
# in heads.py
def split_heads(x, n_head):
    B, n, d = x.shape
    return (
        x.view(B, n, n_head, d // n_head).squeeze(1).reshape(B, n, n_head, -1).transpose(1, 2)
        if n > 1
        else x.view(B, n_head, d // n_head)
    )
