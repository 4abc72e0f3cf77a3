def split_heads(x, n_head):
    B, n, d = x.size()
    assert d % n_head == 0, "d_model must be divisible by n_head"
    return x.view(B, n, n_head, d // n_head).permute(0, 2, 1, 3).contiguous()


def merge_heads(y):
    return y.permute(0, 2, 1, 3).flatten(2)
