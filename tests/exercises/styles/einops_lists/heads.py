from einops import rearrange


def split_heads(x, n_head):
    return rearrange(x, "b n (h k) -> b h n k", h=n_head)


def merge_heads(y):
    return rearrange(y, "b h n k -> b n (h k)")
