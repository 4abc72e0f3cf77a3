"""Section 2: divide, don't multiply. The 768 dimensions become 12 slices of 64, and come back together."""

from torch import Tensor


def split_heads(x: Tensor, n_head: int) -> Tensor:
    """Gives every head its own slice of every token.

    x: (B, n, d_model) -> (B, n_head, n, d_k), with d_k = d_model / n_head.
    Raises ValueError when d_model cannot be divided into n_head equal slices.
    """
    B, n, d_model = x.shape
    if d_model % n_head != 0:
        raise ValueError(f"d_model = {d_model} cannot be divided into {n_head} heads of equal size")
    d_k = d_model // n_head
    # First cut each token's last axis into slices, then bring the heads forward: a reshape straight to
    # (B, n_head, n, d_k) has the same shape, but would deal out whole tokens instead of slices.
    x = x.reshape(B, n, n_head, d_k)  # (B, n, d_model) -> (B, n, n_head, d_k)
    return x.transpose(1, 2)  # (B, n, n_head, d_k) -> (B, n_head, n, d_k)


def merge_heads(y: Tensor) -> Tensor:
    """Puts the heads' slices side by side again: the exact inverse of `split_heads`.

    y: (B, n_head, n, d_k) -> (B, n, n_head * d_k)
    """
    B, n_head, n, d_k = y.shape
    y = y.transpose(1, 2)  # (B, n_head, n, d_k) -> (B, n, n_head, d_k)
    # transpose only relabels memory; view() needs it laid out anew, hence contiguous().
    return y.contiguous().view(B, n, n_head * d_k)  # (B, n, n_head, d_k) -> (B, n, d_model)
