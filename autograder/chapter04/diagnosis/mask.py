"""causal_mask and causal_softmax: square and oblong, small and large scores, 2 to 4 axes."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor

from autograder.diagnosis.probe import CORE, Probe, asking, on_meta, secret, steady
from autograder.sandbox.api import Student

MASKS: dict[str, tuple[int, ...]] = {
    "5": (5,),
    "7": (7,),
    "3, 3": (3, 3),
    "4, 7": (4, 7),
    "3, 8": (3, 8),
    "1, 6": (1, 6),
    "1": (1,),
}


def causal_mask(seed: str) -> list[Probe]:
    """n_query, n_key -> bool (n_query, n_key). The sizes are the inputs: nothing to draw."""
    found = [asking(name, partial(_mask, sizes)) for name, sizes in MASKS.items()]
    return [*found, on_meta(lambda s: s.causal_mask(4, 6, device="meta"), 4, 6)]


def _mask(sizes: tuple[int, ...], student: Student) -> Any:
    return student.causal_mask(*sizes)


def causal_softmax(seed: str) -> list[Probe]:
    """(…, n_query, n_key) -> weights"""

    def scores(name: str, *shape: int, std: float = 1.5) -> Tensor:
        return secret(seed, f"softmax/{name}").normal(*shape, std=std)

    def call(x: Tensor, causal: bool, student: Student) -> Any:
        return student.causal_softmax(x, causal)

    found = []
    for aspect, name, causal, x in (
        (CORE, "a", True, scores("a", 2, 3, 7, 7)),
        (CORE, "b", True, scores("b", 3, 2, 5, 5)),
        (CORE, "oblong a", True, scores("oblong a", 2, 3, 4, 9)),
        (CORE, "oblong b", True, scores("oblong b", 3, 2, 3, 5)),
        (CORE, "one query", True, scores("one query", 2, 3, 1, 6)),
        (CORE, "two axes", True, scores("two axes", 6, 6)),
        (CORE, "open a", False, scores("open a", 2, 3, 6, 6)),
        (CORE, "open b", False, scores("open b", 3, 2, 3, 7)),
        ("large", "large", True, _shouting(scores("large", 2, 3, 5, 5, std=6))),
        ("huge", "huge", True, scores("huge", 2, 3, 5, 5, std=300)),
        ("dtype", "float64", True, scores("float64", 2, 3, 4, 4).double()),
        ("dtype", "bfloat16", True, scores("bfloat16", 2, 3, 4, 4).bfloat16()),
        ("half", "float16", True, scores("float16", 2, 3, 4, 4).half()),
    ):
        twice = aspect == CORE and name in ("a", "b")
        found.append((steady if twice else partial(asking, aspect=aspect))(name, partial(call, x, causal)))

    x = scores("echo", 2, 3, 4, 4)
    found.append(asking("echo", lambda s: s.echo("causal_softmax", x)[1][0], "input"))
    cotangent = scores("cotangent", 2, 3, 4, 4)
    found.append(
        asking("gradient", lambda s: s.gradient("causal_softmax", (x,), cotangent=cotangent), "gradient")
    )
    far = torch.empty(2, 3, 4, 4, device="meta")
    return [*found, on_meta(lambda s: s.causal_softmax(far), 2, 3, 4, 4)]


def _shouting(scores: Tensor) -> Tensor:
    """The future far above the past: what is only weakened there comes through."""
    future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.clamp(-25, 25).masked_fill(future, 35.0)
