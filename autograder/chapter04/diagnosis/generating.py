"""generate: handed a model that answers by a rule, sees what it is fed, and remembers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor

from autograder.chapter04.hidden.recorded_model import Call, sentences
from autograder.diagnosis.observation import Seen, look, raises
from autograder.diagnosis.probe import UNSTEADY, Probe, asking, secret
from autograder.sandbox.api import Student

VOCAB = 23


@dataclass
class RuleModel:
    """The next token follows from every token fed and where it stood, so that any slip changes it.

    Its cache holds, for one layer, ids and positions as K and V: (B, 1, n, 1) each.
    """

    n_positions: int = 64
    key: int = 5
    counts: bool = False  # the simple rule of the public example: always one more
    calls: list[Call] = field(default_factory=list)

    def __call__(self, ids: Tensor, cache: Any = None, start: int = 0) -> tuple[Tensor, Any]:
        """ids (B, m) -> (logits (B, m, VOCAB), [(K, V)])"""
        B, m = ids.shape
        known, places = ids, torch.arange(start, start + m).expand(B, m)  # (B, m) each
        past, seen = 0, None
        pair = _pair(cache, B)
        if pair is not None:
            past = pair[0].shape[2]
            seen = [
                list(zip(k, p, strict=True))
                for k, p in zip(*(t.reshape(B, past).long().tolist() for t in pair), strict=True)
            ]
            known = torch.cat([pair[0].reshape(B, past).long(), known], dim=1)  # (B, past + m)
            places = torch.cat([pair[1].reshape(B, past).long(), places], dim=1)  # (B, past + m)
        self.calls.append(Call(ids, start, seen))
        worth = (known + 1) * (places * 7 + self.key) % 9973
        code = worth.cumsum(dim=1)[:, past:] % VOCAB  # (B, m)
        best = (ids + 1) % VOCAB if self.counts else code
        logits = torch.nn.functional.one_hot(best, VOCAB) * 4.0  # (B, m, VOCAB)
        logits = logits + torch.arange(VOCAB) % 7 * 0.1
        kept = [(t.reshape(B, 1, past + m, 1).float()) for t in (known, places)]
        return logits, [(kept[0], kept[1])]


def _pair(cache: Any, B: int) -> tuple[Tensor, Tensor] | None:
    """(K, V) of the one layer, when the cache is one that this model gave."""
    if isinstance(cache, Sequence) and len(cache) == 1:
        layer = cache[0]
        if isinstance(layer, Sequence) and len(layer) == 2 and all(isinstance(t, Tensor) for t in layer):
            k, v = layer
            if k.dim() == 4 and k.shape == v.shape and k.shape[0] == B and k.shape[1] == k.shape[3] == 1:
                return k, v
    return None


def generate(seed: str) -> list[Probe]:
    """The ids decide; what the model was fed refines."""
    found = []
    for name, (B, n, new, use_cache) in {
        "with the cache a": (2, 5, 4, True),
        "with the cache b": (3, 2, 6, True),
        "without a": (2, 4, 5, False),
        "without b": (3, 3, 4, False),
        "one sentence": (1, 3, 3, True),
    }.items():
        draw = secret(seed, f"generate/{name}")
        ids, key = draw.ids(B, n, VOCAB), draw.integer(3, 900)
        found.append(Probe(name, "values", partial(_twice, ids, new, use_cache, key)))
        found.append(asking(f"{name}, fed", partial(_fed_anew, ids, new, use_cache, key), "fed"))
    draw = secret(seed, "generate/further")
    ids = draw.ids(2, 5, VOCAB)
    found.append(
        Probe(
            "too long",
            "too long",
            lambda s: raises(lambda: s.generate(RuleModel(n_positions=8), ids, 6, True)),
        )
    )
    found.append(asking("just fits", lambda s: s.generate(RuleModel(n_positions=8), ids, 3, True), "fits"))
    found.append(asking("echo", lambda s: s.echo("generate", RuleModel(), ids, 3, True)[1][1], "input"))
    return found


def _twice(ids: Tensor, new: int, use_cache: bool, key: int, student: Student) -> Seen:
    first, second = (
        look(lambda: student.generate(RuleModel(key=key), ids, new, use_cache)) for _ in range(2)
    )
    return first if first.numbers is None or first.same(second) else replace(first, form=UNSTEADY)


def fed(ids: Tensor, new: int, use_cache: bool, model: RuleModel, student: Student) -> list[list[int]]:
    """Per call that fed the first sentence: the last token, tokens, start, cache length; a call after the
    last token is needed is left out."""
    student.generate(model, ids, new, use_cache)
    steps = sentences(model.calls, ids)[0]
    return [[s.token, s.rows, s.start, s.past or 0] for s in steps[:new]]


def _fed_anew(ids: Tensor, new: int, use_cache: bool, key: int, student: Student) -> list[list[int]]:
    return fed(ids, new, use_cache, RuleModel(key=key), student)
