"""The numbers of a picture: which tokens a head read, who looks at whom, what a changed token moves, what a
step costs."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from pydantic import JsonValue
from torch import Tensor

from autograder.chapter04.diagnosis import public, revealed
from autograder.chapter04.diagnosis.cached import unpacked
from autograder.chapter04.own import solution
from autograder.diagnosis.views import numbers
from autograder.sandbox.api import Student
from autograder.sandbox.errors import StudentFault

Picture = dict[str, JsonValue]
HEADS_SEEN = 2  # of the module whose weights are worked back; head 0's are drawn


COSTLY = frozenset({"recompute-all", "queries-cached-too"})  # right values at too high a price


def picture(exercise: str, student: Student, found: Sequence[str] = ()) -> Picture | None:
    """The picture that says most about an exercise; None when there is nothing to draw."""
    try:
        match exercise:
            case "split_heads":
                return _read(student.split_heads(public.coded(), public.HEADS), split=True)
            case "merge_heads":
                return _read(student.merge_heads(public.coded_heads()), split=False)
            case "causal_mask":
                return _mask(student.causal_mask(public.N))
            case "causal_softmax":
                return _attention(student.causal_softmax(public.scores()))
            case "MultiHeadAttention":
                return _leaks(_module_outputs, student) or _looks(student)
            case "attend_with_cache" if COSTLY & set(found):
                return cost(student)
            case "attend_with_cache":
                return _leaks(_cached_outputs, student)
    except StudentFault:
        return None
    return None


def _read(got: object, *, split: bool) -> Picture | None:
    """Which [token, place] of the coded input every number of every head was read from."""
    n, d = public.N, public.D
    shape = (1, public.HEADS, n, public.D_K) if split else (1, n, d)
    if not isinstance(got, Tensor) or tuple(got.shape) != shape:
        return None
    if split:
        got = got.transpose(1, 2).reshape(
            1, n, d
        )  # (1, HEADS, n, D_K) -> (1, n, D), row by row as it should be
    known = {float(x): [int(x) // 100, int(x) % 100] for x in public.coded().flatten().tolist()}

    def sources(values: Tensor) -> JsonValue:
        return [[list(known[x]) if x in known else None for x in row] for row in values.tolist()]

    wanted, found = sources(public.coded()[0]), sources(got[0].to(torch.float64))
    return None if wanted == found else {
        "kind": "read_map", "n_head": public.HEADS, "expected": wanted, "got": found
    }  # fmt: skip


def _mask(got: object) -> Picture | None:
    """What the mask leaves of equal scores."""
    if not isinstance(got, Tensor) or tuple(got.shape) != (public.N, public.N) or got.dtype != torch.bool:
        return None
    weights = torch.zeros(public.N, public.N).masked_fill(got, -torch.inf).softmax(dim=-1)
    return _pattern(weights, solution().causal_softmax(torch.zeros(public.N, public.N)))


def _attention(got: object) -> Picture | None:
    scores = public.scores()
    if not isinstance(got, Tensor) or got.shape != scores.shape or not got.dtype.is_floating_point:
        return None
    return _pattern(got, solution().causal_softmax(scores))


def _pattern(got: Tensor, expected: Tensor) -> Picture | None:
    if torch.allclose(got.double(), expected.double(), atol=1e-5):
        return None
    return {
        "kind": "attention",
        "tokens": list(public.TOKENS),
        "expected": numbers(expected),
        "got": numbers(got.float()),
    }


def _looks(student: Student) -> Picture | None:
    """Head 0's weights, where they can be worked back from the output."""
    got, right = (revealed.weights(s, public.N, HEADS_SEEN) for s in (student, solution()))
    drawn = None if got is None or right is None else _pattern(got[0], right[0])
    return None if drawn is None else {**drawn, "head": 0}


def _module_outputs(student: Student, sentences: list[Tensor]) -> list[object]:
    attention = student.MultiHeadAttention(public.D, public.HEADS, True, state_dict=public.weights())
    return [attention(x) for x in sentences]


def _cached_outputs(student: Student, sentences: list[Tensor]) -> list[object]:
    """Two tokens, then two more."""
    attention = student.MultiHeadAttention(public.D, public.HEADS, True, state_dict=public.weights())
    found: list[object] = []
    for x in sentences:
        first, cache = unpacked(student.attend_with_cache(attention, x[:, :2].contiguous(), None))
        second, _ = unpacked(student.attend_with_cache(attention, x[:, 2:].contiguous(), cache))
        whole = all(isinstance(y, Tensor) and y.shape == x[:, :2].shape for y in (first, second))
        found.append(torch.cat([first, second], dim=1) if whole else None)
    return found


def _leaks(outputs: object, student: Student) -> Picture | None:
    """Each token changed in turn: how much every position moves. None when only what may move does."""
    assert callable(outputs)
    x = public.sentence()
    changed = []
    for t in range(public.N):
        other = x.clone()
        other[0, t] = -other[0, t] + 1
        changed.append(other)

    def leak_map(one: Student) -> Tensor | None:
        before, *after = outputs(one, [x, *changed])
        if not all(isinstance(y, Tensor) and y.shape == x.shape for y in (before, *after)):
            return None
        moved = [(y.double() - before.double())[0].abs().amax(dim=-1) for y in after]
        return torch.stack(moved)  # (N changed, N moved)

    got = leak_map(student)
    if got is None or bool((got.tril(-1) == 0).all() and (got.diagonal() > 0).all()):
        return None
    right = leak_map(solution())
    assert right is not None
    return {
        "kind": "leak_map",
        "tokens": list(public.TOKENS),
        "expected": numbers(right),
        "got": numbers(got.float()),
    }


def cost(student: Student) -> Picture | None:
    """CPU time of one more token after a past of growing length, with the student's cache and without any."""
    places = (32, 96, 224)
    d, heads = 32, 4
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(1, places[-1] + 2, d, generator=generator)
    plain = solution()
    try:
        attention = student.MultiHeadAttention(d, heads, True)
        whole = plain.MultiHeadAttention(d, heads, True)
        cached, uncached = [], []
        for n in places:
            _, past = unpacked(student.attend_with_cache(attention, x[:, :n].contiguous(), None))
            new = x[:, n : n + 1].contiguous()
            took = []
            for _ in range(2):
                before = student.cpu_seconds()
                student.attend_with_cache(attention, new, past)
                took.append(student.cpu_seconds() - before)
            cached.append(min(took))
            before = plain.cpu_seconds()
            whole(x[:, : n + 1].contiguous())
            uncached.append(plain.cpu_seconds() - before)
    except StudentFault:
        return None
    unit = cached[0]
    if unit <= 0:
        return None
    return {
        "kind": "cost",
        "positions": list(places),
        "cached": [round(c / unit, 2) for c in cached],
        "uncached": [round(c / unit, 2) for c in uncached],
    }
