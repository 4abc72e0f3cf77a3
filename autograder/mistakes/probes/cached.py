"""attend_with_cache: the judge decodes, in several schedules, and looks at every step and every cache."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from autograder.mistakes.probes.form import Probe, asking, secret, steady
from autograder.mistakes.seen import Seen, look
from autograder.sandbox.api import ModuleRef, Student
from autograder.sandbox.errors import StudentFault

# name -> schedule, B, d_model, n_head, causal
RUNS = {
    "prompt, then one by one": ((5, 1, 1), 2, 15, 3, True),
    "one by one": ((1, 1, 1, 1), 3, 8, 2, True),
    "pieces": ((3, 2, 2), 2, 8, 4, True),
    "one sentence": ((2, 1, 3), 1, 6, 2, True),
}


SHORT, LONG, TIMES = 16, 480, 5  # tokens of past, and how many times dearer counts as growing


def attend(seed: str) -> list[Probe]:
    """Schedules decide; the form of the cache, two continuations of one text, and state left behind
    refine."""
    found: list[Probe] = []
    for name, (schedule, B, d, h, causal) in RUNS.items():
        draw = secret(seed, f"cache/{name}")
        weights, x = draw.weights(d), draw.normal(B, sum(schedule), d)
        found.append((asking if found else steady)(name, partial(run, schedule, h, causal, weights, x)))
        found.append(asking(name, partial(run, schedule, h, causal, weights, x, caches=True), "form"))
    draw = secret(seed, "cache/further")
    weights, x = draw.weights(8), draw.normal(2, 6, 8)
    loud = {**weights, "c_attn.weight": weights["c_attn.weight"] * 20}
    wide = {k: v.double() for k, v in weights.items()}
    return [
        *found,
        asking("causal=False", partial(run, (3, 2), 2, False, weights, x[:, :5]), "open"),
        asking("two continuations", partial(_fork, weights, x), "fork"),
        asking("a new text", partial(_again, weights, x), "state"),
        asking("two texts", partial(_in_turn, weights, x), "state"),
        Probe("price of a step", "cost", _price),
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
    """Whether a step after a long past costs many times what it costs after a short one, in CPU seconds."""
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(1, LONG + 1, 64, generator=generator)
    try:
        attention = student.MultiHeadAttention(64, 4, True)
        grows = all(_grows(student, attention, x) for _ in range(2))  # noise hardly strikes twice
    except StudentFault as fault:
        return look(partial(_again_raise, fault))
    return Seen("grows" if grows else "flat")


def _grows(student: Student, attention: ModuleRef, x: Tensor) -> bool:
    took = []
    for n in (SHORT, LONG):
        _, cache = unpacked(student.attend_with_cache(attention, x[:, :n].contiguous(), None))
        best = math.inf
        for _ in range(3):
            before = student.cpu_seconds()
            student.attend_with_cache(attention, x[:, n : n + 1].contiguous(), cache)
            best = min(best, student.cpu_seconds() - before)
        took.append(best)
    return took[1] > TIMES * max(took[0], 1e-5)
