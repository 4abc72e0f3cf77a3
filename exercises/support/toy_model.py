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
        self.n_positions = self.n_ctx = self.max_position_embeddings = n_positions
        self.vocab_size = VOCAB
        self.device, self.dtype = torch.device("cpu"), torch.float32
        self.unused = nn.Parameter(torch.zeros(1))  # next(model.parameters()) finds something
        self.eval()
        self.calls: list[tuple[list[list[int]], int, int]] = []  # (ids, start, tokens in the cache)
        self.past_the_end = False
        self._texts: list[
            list[list[int]]
        ] = []  # of each call: what each of its rows has shown, with the past

    @property
    def config(self) -> Any:
        """As models of transformers have it: config.n_positions and the like."""
        return self

    def forward(self, ids: Tensor, cache: Any = None, start: int = 0) -> tuple[Tensor, Any]:
        """ids (B, m) -> (logits (B, m, VOCAB), cache: one (K, V) with the tokens in K)"""
        ids, start = _tokens(ids), _whole(start)
        B, m = ids.shape
        past = torch.zeros(B, 0) if not _some(cache) else cache[0][0].reshape(B, -1)  # (B, n_past)
        self.calls.append((ids.tolist(), start, past.shape[1]))
        self._texts.append(torch.cat([past.long(), ids], dim=1).tolist())
        if start < 0 or start + m > self.n_positions:
            self.past_the_end = True
            raise IndexError(f"position {start + m - 1} in a model that has {self.n_positions} positions")
        seen = torch.cat([past, ids.to(past.dtype)], dim=1)  # (B, n_past + m)
        sums = seen.cumsum(dim=1)[:, past.shape[1] :]  # (B, m)
        next_ids = ((sums + start + torch.arange(m)) % VOCAB).long()  # (B, m)
        logits = torch.nn.functional.one_hot(next_ids, VOCAB) * 4.0 - 2.0  # (B, m, VOCAB)
        k = seen.reshape(B, 1, -1, 1)  # (B, n_past + m) -> (B, 1, n_past + m, 1)
        return logits, [(k, torch.zeros_like(k))]

    def shown(self) -> list[str]:
        """What went in, a line per call."""
        return [f"ids = {ids}, start = {start}, cache: {past} tokens" for ids, start, past in self.calls]

    def steps(self, prompt: list[list[int]]) -> list[list[tuple[int, int, int]]]:
        """Of each sentence of the prompt: (tokens that went in, start, tokens in the cache), call by call.

        All sentences may go in at once or one by one: a row belongs to the one whose first token it has.
        """
        found: list[list[tuple[int, int, int]]] = [[] for _ in prompt]
        for (ids, start, past), texts in zip(self.calls, self._texts, strict=True):
            for b, (row, text) in enumerate(zip(ids, texts, strict=True)):
                mine = [i for i, sentence in enumerate(prompt) if sentence[0] == text[0]]
                found[mine[0] if mine else b % len(prompt)].append((len(row), start, past))
        return found


def _some(cache: Any) -> bool:
    return cache is not None and len(cache) > 0


def _tokens(given: Any) -> Tensor:
    ids = torch.as_tensor(given)
    if ids.dim() != 2 or ids.shape[1] == 0 or ids.is_floating_point() or ids.dtype == torch.bool:
        raise ValueError(f"ids must be whole numbers (B, m) with m > 0, not {ids.dtype} {tuple(ids.shape)}")
    if int(ids.min()) < 0 or int(ids.max()) >= VOCAB:
        raise IndexError(f"a token outside the vocabulary of {VOCAB}")
    return ids.long()


def _whole(start: Any) -> int:
    number = start.reshape(()) if hasattr(start, "reshape") else start
    if isinstance(number, bool):
        raise TypeError("start must be a whole number, not a bool")
    if not hasattr(number, "__index__"):
        raise TypeError(f"start must be a whole number, not {start!r}")
    return int(number.__index__())
