from torch import Tensor


def split_heads(x: Tensor, n_head: int) -> Tensor:
    B, n, d_model = x.shape
    if d_model % n_head:
        raise ValueError("d_model must be divisible by n_head")
    return x.view(B, n, n_head, d_model // n_head).transpose(1, 2)


def merge_heads(y: Tensor) -> Tensor:
    B, h, n, d_k = y.shape
    return y.transpose(1, 2).contiguous().view(B, n, h * d_k)
