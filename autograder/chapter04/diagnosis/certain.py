"""What can be said for certain of a wrong result that no known mistake explains: which axis, position, scale.

Each function asks small public questions and returns a Message (ids `certain.*`) or None. Nothing here
guesses:
a sentence is said only when the numbers prove it.
"""

from __future__ import annotations

import itertools
from typing import Any

import torch
from torch import Tensor

from autograder.chapter04.diagnosis import public, revealed
from autograder.chapter04.diagnosis.cached import kept, unpacked
from autograder.chapter04.diagnosis.generating import RuleModel
from autograder.chapter04.hidden.recorded_model import sentences
from autograder.chapter04.own import solution
from autograder.results import Message
from autograder.sandbox.api import Student
from autograder.sandbox.errors import StudentFault

AXES = ("B", "n_head", "n", "d_k")  # as everywhere in the exercises


def certain(exercise: str, student: Student) -> Message | None:
    """The most telling certain statement. Raises GraderFault only."""
    ask = {
        "split_heads": _split,
        "merge_heads": _merge,
        "causal_mask": _mask,
        "causal_softmax": _softmax,
        "concat_and_project": _concat,
        "MultiHeadAttention": _module,
        "attend_with_cache": _cache,
        "generate": _generate,
    }.get(exercise)
    try:
        return ask(student) if ask else None
    except StudentFault:
        return None


def _say(id: str, **params: object) -> Message:
    return Message.model_validate({"id": f"certain.{id}", "params": params})


def _split(student: Student) -> Message | None:
    B, n, h, d_k = 2, 5, 3, 4
    x = _marked(n, h * d_k, B)
    got = student.split_heads(x, h)
    right = x.view(B, n, h, d_k).transpose(1, 2)  # (B, n, d) -> (B, h, n, d_k)
    if not isinstance(got, Tensor) or not _exact(got, x):
        return None
    got = got.to(x.dtype)
    if got.shape != right.shape:
        for order in itertools.permutations(range(4)):
            if got.dim() == 4 and order != (0, 1, 2, 3) and torch.equal(got, right.permute(order)):
                return _say("axes", order=[AXES[i] for i in order])
        return None
    for head, token in itertools.product(range(h), range(n)):
        if torch.equal(got[:, head, token], right[:, head, token]):
            continue
        for b in range(B):
            row = _sources(got[b, head, token], x)
            if row is None:
                return _say("not_of_input")
            sentences, tokens, places = row
            if sentences != [b]:
                return _say("batch_mixed", sentence=b, sentences=sentences)
            if tokens != [token]:
                return _say("head_reads_tokens", head=head, token=token, tokens=tokens)
            if places != list(range(head * d_k, (head + 1) * d_k)):
                said = {"places": places, "first": head * d_k, "d_k": d_k}
                return _say("head_reads_places", head=head, token=token, **said)
    return None


def _merge(student: Student) -> Message | None:
    B, n, h, d_k = 2, 5, 3, 4
    x = _marked(n, h * d_k, B)
    y = x.view(B, n, h, d_k).transpose(1, 2).contiguous()  # (B, n, d) -> (B, h, n, d_k)
    return _rows(student.merge_heads(y), x, d_k)


def _rows(got: Any, x: Tensor, d_k: int) -> Message | None:
    """Rows of what should be the coded input again."""
    if not isinstance(got, Tensor) or got.shape != x.shape or not _exact(got, x):
        return None
    got = got.to(x.dtype)
    for b, token in itertools.product(range(x.shape[0]), range(x.shape[1])):
        if torch.equal(got[b, token], x[b, token]):
            continue
        row = _sources(got[b, token], x)
        if row is None:
            return _say("not_of_input")
        sentences, tokens, places = row
        if sentences != [b]:
            return _say("batch_mixed", sentence=b, sentences=sentences)
        if tokens != [token]:
            return _say("row_holds_tokens", token=token, tokens=tokens)
        heads = [p // d_k for p in places]
        if sorted(places) == list(range(x.shape[2])):
            return _say("row_in_other_order", token=token, heads=heads)
        return _say("row_holds_heads", token=token, heads=sorted(set(heads)))
    return None


def _marked(n: int, d: int, B: int = 1) -> Tensor:
    """(B, n, d): numbers of which each says where it is from; squares, as sums of them are others."""
    return public.coded(n, d, B) ** 2


def _exact(got: Tensor, x: Tensor) -> bool:
    """Whether a result's kind of number can hold the input's numbers as they are."""
    return torch.equal(x.to(got.dtype).to(x.dtype), x)


def _sources(row: Tensor, x: Tensor) -> tuple[list[int], list[int], list[int]] | None:
    """(sentences, tokens, places) of x (B, n, d) that the numbers of a row were read from; None when one of
    them is nowhere in it."""
    where = {value: i for i, value in enumerate(x.flatten().tolist())}
    found = [where.get(value, -1) for value in row.flatten().tolist()]
    if -1 in found:
        return None
    size = x.shape[1] * x.shape[2]
    tokens = {i % size // x.shape[2] for i in found}
    return sorted({i // size for i in found}), sorted(tokens), [i % x.shape[2] for i in found]


def _mask(student: Student) -> Message | None:
    for n_query, n_key in ((5, 5), (2, 5), (1, 4)):
        got = student.causal_mask(n_query) if n_query == n_key else student.causal_mask(n_query, n_key)
        right = solution().causal_mask(n_query, n_key)
        if not isinstance(got, Tensor) or got.shape != right.shape or got.dtype != torch.bool:
            return None
        for row in range(n_query):
            if not torch.equal(got[row], right[row]):
                allowed, wanted = ((~m[row]).nonzero().flatten().tolist() for m in (got, right))
                return _say(
                    "mask_row", n_query=n_query, n_key=n_key, row=row, allowed=allowed, expected=wanted
                )
    return None


def _softmax(student: Student) -> Message | None:
    generator = torch.Generator().manual_seed(3)
    scores = torch.randn(2, 6, 6, generator=generator, dtype=torch.float64)
    got = student.causal_softmax(scores)
    if not isinstance(got, Tensor) or got.shape != scores.shape or not got.dtype.is_floating_point:
        return None
    return _weights(got.to(torch.float64), scores, 1.0)


def _weights(got: Tensor, raw: Tensor, wanted: float) -> Message | None:
    """Weights (…, n, n) that should be softmax(raw * wanted) over the past."""
    n = raw.shape[-1]
    if (found := _nan_rows(got)) is not None:
        return found
    if not bool(torch.isfinite(got).all()):
        return None
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    sums = got.sum(dim=-1)
    if not torch.allclose(sums, torch.ones_like(sums), atol=1e-4):
        columns = got.sum(dim=-2)
        if torch.allclose(columns, torch.ones_like(columns), atol=1e-4):
            return _say("columns_sum_to_1")
        return _say("row_sums", low=round(float(sums.min()), 3), high=round(float(sums.max()), 3))
    ahead = float(got[..., future].abs().max())
    if ahead > 5e-5:  # as it is told, with four decimals; below that a module's may be rounding
        scale = _scale(got, raw, torch.ones(n, n, dtype=torch.bool))
        if scale is not None:
            return _say("nothing_masked", scale=scale, expected=round(wanted, 4))
        return _say("future_weight", weight=round(ahead, 4))
    scale = _scale(got, raw, ~future)
    if scale is not None and abs(scale - wanted) > 1e-3 * max(1.0, wanted):
        return _say("scale", scale=scale, expected=round(wanted, 4))
    return None


def _nan_rows(got: Tensor) -> Message | None:
    n = got.shape[-2]
    rows = [i for i in range(n) if bool(got[..., i, :].isnan().any())]
    return _say("nan_rows", rows=rows, all=len(rows) == n) if rows else None


def _scale(got: Tensor, raw: Tensor, where: Tensor) -> float | None:
    """s when the weights are softmax(raw * s) over the places `where` (n, n), by regression; None when they
    are not."""
    if bool((got[..., where] <= 0).any()):
        return None
    logs, scores = got.log(), raw.to(torch.float64)
    pieces = []
    for i in range(1, raw.shape[-1]):  # row 0 has one place only
        at = where[i]
        a, b = logs[..., i, at], scores[..., i, at]  # (…, places)
        pieces.append((a - a.mean(-1, keepdim=True), b - b.mean(-1, keepdim=True)))
    a = torch.cat([p.flatten() for p, _ in pieces])
    b = torch.cat([p.flatten() for _, p in pieces])
    slope = float((a @ b) / (b @ b))
    if float((a - slope * b).abs().max()) > 1e-3 * max(1.0, float(a.abs().max())):
        return None
    return round(slope, 4)


def _concat(student: Student) -> Message | None:
    n, h, d_k = 5, 3, 4
    d = h * d_k
    x = _marked(n, d)
    y = x.view(1, n, h, d_k).transpose(1, 2).contiguous()  # (1, n, d) -> (1, h, n, d_k)
    mute, plain, loud = (torch.nn.Linear(d, d) for _ in range(3))
    with torch.no_grad():
        for linear, weight, bias in ((mute, 0.0, 1.0), (plain, 1.0, 0.0), (loud, 1.0, 1.0)):
            linear.weight.copy_(torch.eye(d) * weight)
            linear.bias.copy_(torch.arange(d) * bias)
    got = student.concat_and_project(y, plain)
    found = _rows(got, x, d_k)
    if found is not None:
        return found
    if isinstance(got, Tensor) and got.shape == x.shape:
        silent = student.concat_and_project(y, mute)
        if isinstance(silent, Tensor) and silent.shape == x.shape:
            if torch.equal(silent, x):
                return _say("c_proj_unused")
            if not bool(silent.any()):
                return _say("bias_unused", layer="c_proj")
    return None


def _module(student: Student) -> Message | None:
    n, heads = 5, 3
    x, state, raw = public.revealing(n, heads)
    out = revealed.output(student, n, heads)
    if out is None:
        return None
    if (found := _nan_rows(out)) is not None:
        return found
    weights = revealed.weights(student, n, heads)
    found = None if weights is None else _weights(weights, raw, n**-0.5)
    if found is not None:
        return found
    silent = {
        **state,
        "c_proj.weight": torch.zeros_like(state["c_proj.weight"]),
        "c_proj.bias": torch.ones(n * heads),
    }
    said = student.MultiHeadAttention(n * heads, heads, True, state_dict=silent)(x)
    if isinstance(said, Tensor) and said.shape == x.shape and not torch.equal(said, torch.ones_like(x)):
        plain = student.MultiHeadAttention(n * heads, heads, True, state_dict=state)(x)
        if torch.equal(said, plain):  # as with a c_proj that changes nothing
            return _say("c_proj_unused")
        return _say("bias_unused" if not bool(said.any()) else "more_than_c_proj", layer="c_proj")
    return None


def _cache(student: Student) -> Message | None:
    x, state = public.sentence(), public.weights()
    plain = solution()
    whole = plain.MultiHeadAttention(public.D, public.HEADS, True, state_dict=state)(x)
    attention = student.MultiHeadAttention(public.D, public.HEADS, True, state_dict=state)
    for schedule in ((4,), (2, 1, 1), (2, 2)):
        cache, at = None, 0
        for step, m in enumerate(schedule):
            out, cache = unpacked(student.attend_with_cache(attention, x[:, at : at + m].contiguous(), cache))
            wanted = whole[:, at : at + m]
            at += m
            if not isinstance(out, Tensor) or out.shape != wanted.shape:
                return None
            near = 1e-4 * max(1.0, float(wanted.abs().max()))  # not what rounding alone may do
            wrong = ~((out.double() - wanted.double()).abs() <= near).all(dim=-1)[0]
            if bool(wrong.any()):
                rows = wrong.nonzero().flatten().tolist()
                return _say("first_wrong_step", step=step + 1, past=at - m, fed=m, rows=rows)
            pair = kept(cache)
            if isinstance(pair, tuple) and pair[0].dim() == 4 and pair[0].shape[2] != at:
                return _say("cache_length", step=step + 1, expected=at, got=pair[0].shape[2])
    return None


def _generate(student: Student) -> Message | None:
    ids = torch.tensor([[3, 1], [7, 2]])
    for use_cache in (True, False):
        model, plain = RuleModel(), RuleModel()
        got = student.generate(model, ids, 3, use_cache)
        solution().generate(plain, ids, 3, use_cache)
        wanted, *_ = sentences(plain.calls, ids)
        for found in sentences(model.calls, ids):
            for step, (mine, theirs) in enumerate(zip(wanted, found, strict=False), 1):
                if mine.rows != theirs.rows:
                    return _say("fed", step=step, expected=mine.rows, got=theirs.rows, use_cache=use_cache)
                if mine.start != theirs.start:
                    return _say("start", step=step, expected=mine.start, got=theirs.start)
                if mine.past != theirs.past:
                    return _say("cache_passed", step=step, expected=mine.past or 0, got=theirs.past or 0)
        if isinstance(got, Tensor) and got.dim() == 2 and got.shape[1] != 5:
            return _say("length", expected=5, got=got.shape[1])
    return None
