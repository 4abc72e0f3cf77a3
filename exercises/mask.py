"""Exercises 3 and 4. Section 3 of the chapter: the causal mask, the line that defines everything."""

import torch
from torch import Tensor


def causal_mask(
    n_query: int, n_key: int | None = None, device: torch.device | str | None = None
) -> Tensor:
    """Marks what a token must not look at: True = the future, forbidden; False = itself and the past.

    Returns a tensor of bool, (n_query, n_key), on `device`. With n_key left out, n_key = n_query.

    By hand:

        causal_mask(3)        key 0  key 1  key 2
            query 0           False  True   True      the first token sees only itself
            query 1           False  False  True
            query 2           False  False  False     the last one sees everything

    With more keys than queries (you need this for the KV cache) the queries are the *last* n_query positions.
    Two new tokens after three old ones:

        causal_mask(2, 5)     key 0  key 1  key 2  key 3  key 4
            query 0           False  False  False  False  True     it stands at position 3
            query 1           False  False  False  False  False    it stands at position 4

    Write it without scaled_dot_product_attention: the mask and the softmax are what is practised here.
    """
    raise NotImplementedError("causal_mask is not written yet")


def causal_softmax(scores: Tensor, causal: bool = True) -> Tensor:
    """Turns scores into attention weights: each row sums to 1, and the future gets exactly 0.

    scores: (..., n_query, n_key)  ->  weights of the same shape; `scores` itself is left as it was

    Row i belongs to query i, column j to key j. With causal=False nothing is forbidden (RoBERTa, not GPT-2).

    Why the mask comes before the softmax, and why it is not a score of 0 (the chapter, "Why −∞ and not
    zero?"): a score of 0 becomes e^0 = 1, a perfectly respectable weight; and a weight that is struck out
    afterwards leaves a row that no longer sums to 1.

    By hand: all scores equal, three tokens.

        causal_softmax([[0, 0, 0],        [[1,   0,   0  ],
                        [0, 0, 0],    ->   [1/2, 1/2, 0  ],
                        [0, 0, 0]])        [1/3, 1/3, 1/3]]

    With scores ln 1 and ln 3 in row 1, its weights are 1/4 and 3/4.

    Write it without scaled_dot_product_attention: the mask and the softmax are what is practised here.
    """
    raise NotImplementedError("causal_softmax is not written yet")
