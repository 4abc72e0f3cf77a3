import torch


def split_heads(x, n_head):
    if x.shape[-1] % n_head:
        raise ValueError("uneven")
    return torch.stack(x.chunk(n_head, dim=-1), dim=1)


def merge_heads(y):
    return torch.cat([y[:, i] for i in range(y.shape[1])], dim=-1)
