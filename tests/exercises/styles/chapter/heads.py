def split_heads(x, n_head):
    B, n, d = x.shape
    return x.view(B, n, n_head, d // n_head).transpose(1, 2)


def merge_heads(y):
    B, h, n, d_k = y.shape
    return y.transpose(1, 2).contiguous().view(B, n, h * d_k)
