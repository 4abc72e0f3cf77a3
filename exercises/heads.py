"""Exercises 1 and 2. Section 2 of the chapter: divide, don't multiply.

Multi-head attention does not cost more than one head: the d_model numbers of every token are cut into
n_head slices of d_k = d_model / n_head numbers, and each head works on its own slice.

Names of sizes in all files: B sentences in a batch, n tokens in a sentence, d_model numbers per token.
"""

from torch import Tensor


def split_heads(x: Tensor, n_head: int) -> Tensor:
    """Gives every head its own slice of every token.

    x: (B, n, d_model)  ->  (B, n_head, n, d_k)    with d_k = d_model / n_head

    Why this order of axes: attention multiplies the last two axes as matrices, (n, d_k) by (d_k, n).
    Everything in front of them, batch and head, is done side by side.

    By hand: two tokens of four numbers, written as token * 100 + position in the token, and two heads.

        x[0] = [[  0,   1,   2,   3],        split_heads(x, n_head=2)[0] = [[[  0,   1],     head 0, token 0
                [100, 101, 102, 103]]                                        [100, 101]],    head 0, token 1
                                                                            [[  2,   3],     head 1, token 0
                                                                             [102, 103]]]    head 1, token 1

    Head 0 has the first half of *every* token. A result of the right shape can still be wrong: if head 0
    shows 0 1 2 3, it has been given token 0 whole and nothing of token 1.

    Raises ValueError when d_model cannot be divided into n_head equal slices.
    """
    raise NotImplementedError("split_heads is not written yet")


def merge_heads(y: Tensor) -> Tensor:
    """Puts the heads' slices side by side again: the exact inverse of `split_heads`.

    y: (B, n_head, n, d_k)  ->  (B, n, n_head * d_k)

    By hand: two heads, two tokens, two numbers each.

        y[0] = [[[  0,   1], [100, 101]],        merge_heads(y)[0] = [[  0,   1,   2,   3],
                [[  2,   3], [102, 103]]]                             [100, 101, 102, 103]]

    y may be a tensor whose axes have been exchanged, so that its numbers do not lie in memory in the order in
    which you see them. Some operations refuse such a tensor, and say so.
    """
    raise NotImplementedError("merge_heads is not written yet")
