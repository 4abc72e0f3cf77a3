def split_heads(x, n_head):
    return x.unflatten(-1, (n_head, -1)).swapaxes(-2, -3)


def merge_heads(y):
    return y.swapaxes(-2, -3).reshape(y.shape[0], y.shape[2], -1)
