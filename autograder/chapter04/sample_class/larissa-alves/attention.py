"""Exercises 5 and 6. Sections 2 and 4 of the chapter: the heads come together, and the module as a whole."""

from torch import Tensor, nn

from exercises.heads import merge_heads, split_heads  # noqa: F401  (yours, from the exercises before)
from exercises.mask import causal_softmax  # noqa: F401


def concat_and_project(y: Tensor, c_proj: nn.Module) -> Tensor:
    """Puts the heads side by side and lets c_proj mix them.

    y: (B, n_head, n, d_k)  ->  (B, n, d_model)    c_proj: nn.Linear(d_model, d_model), the chapter's W^O

    Why: without c_proj every head would write into its own d_k numbers and never speak to another.

    By hand: one token, two heads with two numbers each, c_proj.bias = 0, and

        c_proj.weight = [[1, 0, 0, 0],      y[0] = [[[1, 2]],     head 0      concat:  [1, 2, 3, 4]
                         [1, 1, 0, 0],              [[3, 4]]]     head 1
                         [1, 1, 1, 0],
                         [1, 1, 1, 1]]      concat_and_project(y, c_proj)[0] = [[1, 3, 6, 10]]
    """
    raise NotImplementedError("concat_and_project is not written yet")


class MultiHeadAttention(nn.Module):
    """causal=True is GPT-2, causal=False is RoBERTa; everything else is the same."""

    def __init__(self, d_model: int = 768, n_head: int = 12, causal: bool = True) -> None:
        """Given: leave it as it is. A real GPT-2 fills c_attn and c_proj with its own weights."""
        super().__init__()
        self.n_head = n_head
        self.d_k = d_model // n_head
        self.causal = causal
        self.c_attn = nn.Linear(d_model, 3 * d_model)  # Q, K and V in one matmul, in this order
        self.c_proj = nn.Linear(d_model, d_model)  # W^O

    def forward(self, x: Tensor) -> Tensor:
        """x: (B, n, d_model)  ->  (B, n, d_model)

        The chapter's five steps (section 4); the parts are yours already:

            1. one matmul makes Q, K and V        (B, n, d_model) -> three times (B, n, d_model)
            2. each is split into heads           (B, n, d_model) -> (B, n_head, n, d_k)
            3. scores: every query with every     (B, n_head, n, n); divided by the square root of d_k, or the
               key of its head                    softmax of long vectors would put everything on one token
            4. weights: the future is forbidden   (B, n_head, n, n); unless self.causal is False
            5. weighted sums of V, heads          (B, n_head, n, d_k) -> (B, n, d_model)
               together, mixed

        By hand: if Q and K are all 0, all scores are 0, and every token gets the mean of itself and its past.
        With V = x and c_proj changing nothing,

            x[0] = [[ 6, 60],        forward(x)[0] = [[6, 60],         6 alone
                    [ 0,  0],                         [3, 30],         (6 + 0) / 2
                    [ 3, 90]]                         [3, 50]]         (6 + 0 + 3) / 3
        """
        raise NotImplementedError("MultiHeadAttention is not written yet")
