"""The small GPT-2 of lab/ with the student's attention in it, and the same one in transformers."""

from __future__ import annotations

import importlib.util
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from exercises.selfcheck.calls import Attempt
from exercises.selfcheck.check import ATOL, RTOL, Check
from exercises.selfcheck.trouble import NotTried, NotWritten, Trouble

SYMBOLS = ("MultiHeadAttention", "attend_with_cache")


class Trial:
    """One real model, whose attention is the student's."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        if not _there("lab.gpt2"):
            raise NotTried("not_tried.no_lab")
        if not _there("transformers"):
            raise NotTried("not_tried.no_transformers")
        from lab.gpt2 import GPT2

        attention, attend = (attempt.code.get(s, partial(attempt.guard, s)) for s in SYMBOLS)
        # Two tokens through the student's attention: a stub says so here, before anything large is loaded.
        tiny = attempt.guard(SYMBOLS[0], lambda: attention(4, 2, True))
        x = torch.zeros(1, 2, 4)
        for symbol, call in zip(SYMBOLS, (partial(tiny, x), partial(attend, tiny, x, None)), strict=True):
            if attempt.guard(symbol, call) is None:
                raise NotWritten(symbol, "ui.returns_nothing")
        try:
            self.model = GPT2.from_pretrained("mini", attention=attention, attend_with_cache=attend)
        except (OSError, ValueError) as e:
            raise NotTried("not_tried.no_model", reason=str(e)) from None

    def ids(self, sentences: int, tokens: int) -> Tensor:
        """(sentences, tokens): numbers of tokens by a formula."""
        vocab = self.model.config.vocab_size
        return torch.tensor(
            [[(7 * i * i + 31 * s + 3 * i + 1) % vocab for i in range(tokens)] for s in range(sentences)]
        )

    def logits(self, ids: Tensor) -> Tensor:
        """Through the student's MultiHeadAttention: (B, n) -> (B, n, vocab)."""
        return self._attempt.guard("MultiHeadAttention", lambda: self.model.logits(ids))

    def logits_in_pieces(self, ids: Tensor, pieces: tuple[int, ...]) -> Tensor:
        """Through the student's attend_with_cache, so many tokens at a time: (B, n) -> (B, n, vocab)."""
        out, kept, start = [], None, 0
        for m in pieces:
            new = ids[:, start : start + m]
            logits, kept = self._attempt.guard(
                "attend_with_cache", partial(self.model, new, cache=kept, start=start)
            )
            out.append(logits)
            start += m
        return torch.cat(out, dim=1)

    def generate(self, ids: Tensor, max_new_tokens: int) -> Any:
        """The student's generate, on this model: nobody else asks for it, so it holds up no other test."""
        self._attempt.wait_for("generate")
        written = self._attempt.code.get("generate", partial(self._attempt.guard, "generate"))
        return self._attempt.guard("generate", lambda: written(self.model, ids, max_new_tokens))

    def reference(self, ids: Tensor) -> Tensor:
        """What transformers says: (B, n) -> (B, n, vocab)."""
        with torch.no_grad():
            logits: Tensor = _transformers()(ids).logits
        return logits


def same_logits(check: Check, got: Any, reference: Tensor) -> None:
    """All logits (B, n, vocab) up to rounding. Raises Trouble."""
    check.tensor(got)
    if got.shape != reference.shape:
        raise Trouble("wrong.shape_only", expected=tuple(reference.shape), got=tuple(got.shape))
    allowed = ATOL * max(1.0, float(reference.abs().max()))
    off = (got.detach() - reference).abs() - RTOL * reference.abs()  # (B, n, vocab)
    wrong = ~(off <= allowed)
    if wrong.any():
        token = int(wrong.any(dim=-1).any(dim=0).nonzero()[0])  # (B, n, vocab) -> (B, n) -> (n,)
        by = float((got - reference)[:, token].abs().max())
        raise Trouble(
            "wrong.logits", by=f"{by:.2g}", token=token, tokens=got.shape[1], allowed=f"{allowed:.1g}"
        )


@cache
def _transformers() -> Any:
    from transformers import GPT2LMHeadModel

    from lab.models import find_model

    folder: Path = find_model("mini")
    return GPT2LMHeadModel.from_pretrained(folder, local_files_only=True).float().eval()


def _there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
