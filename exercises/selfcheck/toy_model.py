"""A model for `generate` whose rule a person can follow with pencil and paper."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

VOCAB = 100


class ToyModel(nn.Module):
    """The next token is (sum of all tokens so far + position of the newest) mod 100.

    Prompt 3 5: the 5 stands at position 1, so next comes 3 + 5 + 1 = 9, then 3 + 5 + 9 + 2 = 19.
    """

    def __init__(self, n_positions: int = 64) -> None:
        super().__init__()
        self.n_positions = self.n_ctx = n_positions
        self.config = type("Config", (), {"n_positions": n_positions, "n_ctx": n_positions})
        self.device, self.dtype = torch.device("cpu"), torch.float32
        self.empty = nn.Parameter(torch.empty(0), requires_grad=False)  # so that parameters() has one
        self.eval()
        self.calls: list[tuple[list[list[int]], int, int]] = []  # (ids, start, tokens in the cache)

    def forward(self, ids: Tensor, cache: Any = None, start: int = 0) -> tuple[Tensor, Any]:
        """ids (B, m) -> (logits (B, m, VOCAB), cache: one (K, V) with the tokens in K)"""
        ids, start = torch.as_tensor(ids), _whole(start)
        B, m = ids.shape
        if m == 0 or ids.dtype == torch.bool or ids.is_floating_point():
            raise ValueError("ids must be whole numbers, at least one of each sentence")
        if not all(0 <= token < VOCAB for row in ids.tolist() for token in row):
            raise IndexError(f"the model knows no token outside 0 to {VOCAB - 1}")
        if not 0 <= start <= self.n_positions - m:
            raise IndexError(f"position {start + m - 1} in a model that has {self.n_positions} positions")
        past = cache[0][0].reshape(B, -1) if cache else torch.zeros(B, 0)  # (B, n_past)
        self.calls.append((ids.tolist(), start, past.shape[1]))
        seen = torch.cat([past, ids.to(past.dtype)], dim=1)  # (B, n_past + m)
        sums = seen.cumsum(dim=1)[:, past.shape[1] :]  # (B, m)
        next_ids = ((sums + start + torch.arange(m)) % VOCAB).long()  # (B, m)
        logits = torch.nn.functional.one_hot(next_ids, VOCAB) * 4.0 - 2.0  # (B, m, VOCAB)
        k = seen.reshape(B, 1, -1, 1)  # (B, n_past + m) -> (B, 1, n_past + m, 1)
        return logits, [(k, torch.zeros_like(k))]


def _whole(start: Any) -> int:
    """Any kind of whole number (int, numpy's, a tensor with one in it) as an int. Raises TypeError."""
    one = start.item() if hasattr(start, "item") else start
    if isinstance(one, bool):
        raise TypeError("start must be a whole number, not a bool")
    return range(one).stop  # a range takes whole numbers only
