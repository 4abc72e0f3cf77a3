def split_heads(x, n_head):
    if x.shape[-1] % n_head != 0:
        raise ValueError(f"{x.shape[-1]} features do not make {n_head} equal heads")
    return x.unflatten(-1, (n_head, -1)).permute(0, 2, 1, 3)


def merge_heads(y):
    return y.permute(0, 2, 1, 3).flatten(2)
