"""Section 3: the causal mask, the line that defines everything."""

import torch
from torch import Tensor


def causal_mask(
    n_query: int, n_key: int | None = None, device: torch.device | str | None = None
) -> Tensor:
    """True where a query would look into the future.

    Returns bool (n_query, n_key). With n_key > n_query the queries are the last n_query of the n_key
    positions: query i stands at position n_key - n_query + i. With n_key left out, n_key = n_query.
    """
    if n_key is None:
        n_key = n_query
    past = n_key - n_query  # how many keys came before the first query
    everything = torch.ones(n_query, n_key, dtype=torch.bool, device=device)  # (n_query, n_key)
    return everything.triu(diagonal=past + 1)  # the future starts one to the right of "itself"


def causal_softmax(scores: Tensor, causal: bool = True) -> Tensor:
    """Scores -> attention weights; each row sums to 1, the future gets exactly 0.

    scores: (..., n_query, n_key) -> weights of the same shape. causal=False leaves nothing out.
    """
    if causal:
        n_query, n_key = scores.shape[-2:]
        future = causal_mask(n_query, n_key, device=scores.device)  # (n_query, n_key)
        # e^(-inf) = 0: the future vanishes before the row is normalised. A score of 0 would be e^0 = 1.
        scores = scores.masked_fill(future, float("-inf"))  # (..., n_query, n_key), a new tensor
    return scores.softmax(dim=-1)
