"""The model that `generate` is handed. The judge answers its calls and records what was fed."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from autograder.checks.inputs import SeededInputs

Seen = list[tuple[int, int]]  # (token, position) of everything one row has shown the model
Cache = list[tuple[Tensor, Tensor]]  # one (K, V) per layer
LAYERS, HEADS = 2, 2
MODULUS = 1_000_003
MOST_TEXTS = 16  # nobody needs more, and what the judge does for a submission must have an end


@dataclass(frozen=True)
class Call:
    """One call, as the judge saw it."""

    ids: Tensor  # (B, m)
    start: int
    past: list[Seen] | None  # of each row, what is in the cache that was passed; None: no cache was passed


@dataclass(frozen=True)
class Step:
    """What one call fed of one sentence."""

    rows: int  # tokens
    token: int  # the last of them; -1 when there were none
    start: int
    past: int | None  # positions in the cache that was passed; None: no cache was passed
    newest_cache: bool  # was it the one that the sentence's last call returned?


def sentences(calls: Sequence[Call], prompt: Tensor) -> list[list[Step]]:
    """The steps of each sentence of `prompt` (B, n), whether a call fed all of them, some, or one.

    A row of a call belongs to the sentence that its text begins like; no two sentences of a prompt may begin
    with the same token. Where that does not tell, it is the sentence of the row's number, if there are as
    many, and otherwise the one that was fed last.
    """
    begins = prompt.tolist()
    steps: list[list[Step]] = [[] for _ in begins]
    newest: list[Seen | None] = [None] * len(begins)
    last = 0
    for call in calls:
        fed = call.ids.tolist()
        texts = [
            [token for token, _ in (call.past[b] if call.past else [])] + row for b, row in enumerate(fed)
        ]
        whose: list[int | None] = [_which(text, begins) for text in texts]
        if None in whose or len(set(whose)) < len(whose):
            whose = [b if len(fed) == len(begins) else last for b in range(len(fed))]
        for b, (row, sentence) in enumerate(zip(fed, whose, strict=True)):
            assert sentence is not None
            past = None if call.past is None else call.past[b]
            steps[sentence].append(
                Step(
                    len(row),
                    row[-1] if row else -1,
                    call.start,
                    None if past is None else len(past),
                    past is not None and past == newest[sentence],
                )
            )
            newest[sentence] = (past or []) + [(token, call.start + j) for j, token in enumerate(row)]
            last = sentence
    return steps


def _which(text: Sequence[int], begins: Sequence[Sequence[int]]) -> int | None:
    """The number of the sentence that a text begins like, or whose beginning it is."""
    for i, begin in enumerate(begins):
        length = min(len(text), len(begin))
        if length and text[:length] == begin[:length]:
            return i
    return None


class RecordedModel:
    """`logits, cache = model(ids, cache=None, start=0)`: a language model without attention.

    The likeliest next token is a function of all tokens *and positions* seen so far, those in the cache
    included: whoever feeds too little, too much, or at a wrong position gets other tokens. The cache really
    holds what was seen, in the form of real ones: a list of (K, V), each (B, heads, n_past, 3).
    Raises ValueError for what no GPT-2 would take, IndexError past the last position, as an embedding does.
    """

    def __init__(self, draw: SeededInputs, *, vocab: int = 29, n_positions: int = 64) -> None:
        self.n_positions = n_positions
        self.vocab = vocab
        self.calls: list[Call] = []
        self.past_the_end = False
        self._logits = draw.normal(211, vocab, std=2.0)  # one row for each remainder
        favourite = self._logits.argmax(dim=-1, keepdim=True)
        self._logits.scatter_add_(1, favourite, torch.ones(211, 1))  # no near ties
        self._secret = draw.integer(1000, MODULUS)

    def again(self) -> RecordedModel:
        """The same model, nothing recorded yet."""
        other = copy.copy(self)
        other.calls, other.past_the_end = [], False
        return other

    def __call__(self, ids: Tensor, cache: Any = None, start: int = 0) -> tuple[Tensor, Cache]:
        """ids (B, m) -> (logits (B, m, vocab), cache)"""
        ids = self._checked_ids(ids)
        B, m = ids.shape
        seen = [[] for _ in range(B)] if _empty(cache) else self._read(cache, B)
        past = None if _empty(cache) else [list(row) for row in seen]
        self.calls.append(Call(ids.clone(), start, past))
        if not 0 <= start <= self.n_positions - m:
            self.past_the_end = True
            raise IndexError(f"position {start + m - 1} in a model of {self.n_positions} positions")
        logits = torch.empty(B, m, self.vocab)
        for b in range(B):
            for j in range(m):
                seen[b].append((int(ids[b, j]), start + j))
                logits[b, j] = self._logits[self._remainder(seen[b])]
        return logits, self._write(seen)

    def _checked_ids(self, ids: Any) -> Tensor:
        if not isinstance(ids, Tensor) or ids.dim() != 2 or ids.shape[1] == 0:
            found = list(ids.shape) if isinstance(ids, Tensor) else type(ids).__name__
            raise ValueError(f"ids must be a tensor (B, m) with at least one token, not {found}")
        if ids.shape[0] > MOST_TEXTS:
            raise ValueError(f"no more than {MOST_TEXTS} texts at once, not {ids.shape[0]}")
        if ids.is_floating_point() or ids.dtype == torch.bool:
            raise ValueError(f"ids must be whole numbers, not {ids.dtype}")
        if int(ids.min()) < 0 or int(ids.max()) >= self.vocab:
            raise IndexError(f"a token outside the vocabulary of {self.vocab}")
        return ids.to(torch.int64)

    def _remainder(self, seen: Seen) -> int:
        h = self._secret
        for token, position in seen:
            h = (h * 131 + token * 7 + position * 1009 + 1) % MODULUS
        return h % len(self._logits)

    def _write(self, seen: list[Seen]) -> Cache:
        """What was seen as a cache: K holds token, position and a mark of layer and head; V is -K."""
        rows = torch.tensor(seen, dtype=torch.float32)  # (B, n_past, 2)
        B, n, _ = rows.shape
        layers = []
        for layer in range(LAYERS):
            mark = torch.arange(HEADS, dtype=torch.float32) + 10 * layer  # (HEADS,)
            mark = mark.view(1, HEADS, 1, 1).expand(B, HEADS, n, 1)
            k = torch.cat([rows[:, None].expand(B, HEADS, n, 2), mark], dim=-1)  # (B, HEADS, n_past, 3)
            layers.append((k, -k))
        return layers

    def _read(self, cache: Any, B: int) -> list[Seen]:
        """The other way round. Raises ValueError for a cache that no call returned."""
        try:
            k = cache[0][0]
            if k.dim() != 4 or k.shape[0] > MOST_TEXTS or k.shape[2] > self.n_positions:
                raise ValueError
            seen: list[Seen] = [[(int(t), int(p)) for t, p in row[0, :, :2].tolist()] for row in k]
            ours = self._write(seen)
            same = len(cache) == LAYERS and all(
                torch.equal(got, right)
                for layer, right_layer in zip(cache, ours, strict=True)
                for got, right in zip(layer, right_layer, strict=True)
            )
        except (TypeError, IndexError, KeyError, AttributeError, ValueError, RuntimeError, OverflowError):
            same, seen = False, []
        if not same or len(seen) != B:
            raise ValueError(f"this is not a cache that the model returned for {B} texts")
        return seen


def _empty(cache: Any) -> bool:
    return cache is None or (isinstance(cache, list | tuple) and len(cache) == 0)
