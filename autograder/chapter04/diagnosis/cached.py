"""attend_with_cache: the judge decodes, in several schedules, and looks at every step and every cache."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from autograder.chapter04.own import solution
from autograder.diagnosis.observation import Seen, look
from autograder.diagnosis.probe import UNSURE, Probe, asking, secret, steady
from autograder.sandbox.api import Student
from autograder.sandbox.errors import StudentFault

from ..inputs import attention_weights

# name -> schedule, B, d_model, n_head, causal
RUNS = {
    "prompt, then one by one": ((5, 1, 1), 2, 15, 3, True),
    "one by one": ((1, 1, 1, 1), 3, 8, 2, True),
    "pieces": ((3, 2, 2), 2, 8, 4, True),
    "one sentence": ((2, 1, 3), 1, 6, 2, True),
}


# A name is given only when all rounds agree that the growth is WASTEFUL; one round that is HONEST settles it.
SHORT, LONG, WIDTH, ROUNDS = 16, 480, 64, 4
PASTS = (SHORT, LONG)
HONEST, WASTEFUL = 0.2, 0.4
GROWS, FLAT = Seen("grows"), Seen("flat")


def attend(seed: str) -> list[Probe]:
    """Schedules decide; the form of the cache, two continuations of one text, and state left behind
    refine."""
    found: list[Probe] = []
    for name, (schedule, B, d, h, causal) in RUNS.items():
        draw = secret(seed, f"cache/{name}")
        weights, x = attention_weights(draw, d), draw.normal(B, sum(schedule), d)
        found.append((asking if found else steady)(name, partial(run, schedule, h, causal, weights, x)))
        found.append(asking(name, partial(run, schedule, h, causal, weights, x, caches=True), "form"))
    draw = secret(seed, "cache/further")
    weights, x = attention_weights(draw, 8), draw.normal(2, 6, 8)
    loud = {**weights, "c_attn.weight": weights["c_attn.weight"] * 20}
    wide = {k: v.double() for k, v in weights.items()}
    return [
        *found,
        asking("causal=False", partial(run, (3, 2), 2, False, weights, x[:, :5]), "open"),
        asking("two continuations", partial(_fork, weights, x), "fork"),
        asking("a new text", partial(_again, weights, x), "state"),
        asking("two texts", partial(_in_turn, weights, x), "state"),
        Probe("price of a step", "cost", _price, right=FLAT),
        asking("huge scores", partial(run, (4, 2), 2, True, loud, x), "huge"),
        asking("float64", partial(run, (4, 2), 2, True, wide, x.double()), "dtype"),
    ]


def run(
    schedule: tuple[int, ...], n_head: int, causal: bool, weights: Mapping[str, Tensor], x: Tensor,
    student: Student, caches: bool = False,
) -> list[Any]:  # fmt: skip
    """Per step the output, or (K, V) as they are in the cache; stops at the first step that raises."""
    attention = student.MultiHeadAttention(x.shape[2], n_head, causal, state_dict=weights, dtype=x.dtype)
    steps: list[Any] = []
    cache, at = None, 0
    for m in schedule:
        piece = x[:, at : at + m].contiguous()  # (B, n, d) -> (B, m, d)
        at += m
        try:
            out, cache = unpacked(student.attend_with_cache(attention, piece, cache))
        except StudentFault as fault:
            return [*steps, look(partial(_again_raise, fault))]
        steps.append(kept(cache) if caches else out)
        if not isinstance(out, Tensor):
            break
    return steps


def unpacked(value: Any) -> tuple[Any, Any]:
    """(output, cache) when it is a pair; (what is no tensor, None) else."""
    if isinstance(value, tuple | list) and len(value) == 2:
        return value[0], value[1]
    return ["no pair", value], None


def kept(cache: Any) -> Any:
    """(K, V) of a cache, or what stands in its place."""
    if cache is None or isinstance(cache, int | float | str | bool):
        return cache
    if isinstance(cache, tuple | list):
        return list(cache)
    return cache.tensors() if hasattr(cache, "tensors") else type(cache).__name__


def _again_raise(fault: StudentFault) -> None:
    raise fault


def _fork(weights: Mapping[str, Tensor], x: Tensor, student: Student) -> Any:
    """One prompt, two continuations, then the first once more."""
    attention = student.MultiHeadAttention(x.shape[2], 2, True, state_dict=weights)
    _, cache = unpacked(student.attend_with_cache(attention, x[:, :3].contiguous(), None))
    return [
        unpacked(student.attend_with_cache(attention, x[:, i : i + 1].contiguous(), cache))[0]
        for i in (3, 4, 3)
    ]


def _again(weights: Mapping[str, Tensor], x: Tensor, student: Student) -> Any:
    """A text, then a new one without a cache: must not remember."""
    attention = student.MultiHeadAttention(x.shape[2], 2, True, state_dict=weights)
    outs = []
    for piece in (x[:, :3], x[:, 2:6]):
        out, _ = unpacked(student.attend_with_cache(attention, piece.contiguous(), None))
        outs.append(out)
    return outs


def _in_turn(weights: Mapping[str, Tensor], x: Tensor, student: Student) -> Any:
    """Two texts with one module, a step of each in turn."""
    attention = student.MultiHeadAttention(x.shape[2], 2, True, state_dict=weights)
    texts, caches, outs = (x, x.flip(1).contiguous()), [None, None], []
    for start, end in ((0, 2), (2, 3), (3, 6)):
        for i, text in enumerate(texts):
            piece = text[:, start:end].contiguous()
            out, caches[i] = unpacked(student.attend_with_cache(attention, piece, caches[i]))
            outs.append(out)
    return outs


def _price(student: Student) -> Seen:
    """Whether a step costs more after a long past, in CPU seconds: GROWS, FLAT, or UNSURE.

    Measured in turn with the whole text anew by the solution, so a busy moment strikes both. Of what that one
    grows, a cache's step grows by 0.00 to 0.05, a step that works through the whole text by 0.6 and more.
    """
    x = torch.randn(1, LONG + 1, WIDTH, generator=torch.Generator().manual_seed(1))
    try:
        mine = student.MultiHeadAttention(WIDTH, 4, True)
        pasts = {n: unpacked(student.attend_with_cache(mine, x[:, :n].contiguous(), None))[1] for n in PASTS}
        right = solution()
        full = right.MultiHeadAttention(WIDTH, 4, True)
        seen = FLAT
        for _ in range(ROUNDS):
            grown = []
            for n in PASTS:
                step = partial(student.attend_with_cache, mine, x[:, n : n + 1].contiguous(), pasts[n])
                whole = partial(full, x[:, : n + 1].contiguous())
                grown.append((_least(student, step), _least(right, whole)))
            share = (grown[1][0] - grown[0][0]) / max(grown[1][1] - grown[0][1], 1e-6)
            if share <= HONEST:
                return FLAT
            seen = GROWS if share >= WASTEFUL and seen is not UNSURE else UNSURE
    except StudentFault as fault:
        return look(partial(_again_raise, fault))
    return seen


def _least(who: Student, call: Callable[[], object]) -> float:
    """CPU seconds of the quickest of three calls."""
    best = math.inf
    for _ in range(3):
        before = who.cpu_seconds()
        call()
        best = min(best, who.cpu_seconds() - before)
    return best
