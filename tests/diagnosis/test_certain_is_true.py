"""What is called certain is true: said of every known mistake and every stranger, and found again here in another
way: with other inputs, or from what else the code gives."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from autograder.chapter04.diagnosis import public
from autograder.chapter04.diagnosis.cached import kept
from autograder.chapter04.diagnosis.certain import certain
from autograder.diagnosis.entries import catalogue
from autograder.diagnosis.mutants import local_student, plant
from autograder.results import Message
from autograder.sandbox.api import Student
from tests.chapter04.pieces import all_in, read
from tests.diagnosis.planting import assignment
from tests.diagnosis.test_diagnosis import source_of

Params = dict[str, Any]


# Wrong in ways that no entry of the catalogue is: (exercise, file, line, what stands there instead).
ODD = [
    ("split_heads", "heads.py", "{right}.flip(0)"),  # sentences exchanged
    ("split_heads", "heads.py", "{right}.flip(1)"),
    ("split_heads", "heads.py", "{right}.flip(2)"),
    ("split_heads", "heads.py", "{right}.flip(3)"),
    ("split_heads", "heads.py", "{right}.roll(1, 0).flip(2)"),
    ("split_heads", "heads.py", "torch.cat([{right}[:1], {right}[1:].flip(2)])"),  # only the second is wrong
    ("split_heads", "heads.py", "torch.cat([{right}[:1], {right}[:1]])[: {right}.shape[0]]"),
    ("split_heads", "heads.py", "{right} + 1"),
    ("split_heads", "heads.py", "{right} + 0.5"),
    ("split_heads", "heads.py", "{right}.bfloat16()"),
    ("split_heads", "heads.py", "{right}.double().flip(3)"),
    ("merge_heads", "heads.py", "{right}.flip(0)"),
    ("merge_heads", "heads.py", "{right}.flip(1)"),
    ("merge_heads", "heads.py", "{right}.flip(2)"),
    ("merge_heads", "heads.py", "torch.cat([{right}[:1], {right}[1:].flip(1)])"),
    ("merge_heads", "heads.py", "torch.cat([{right}[:1], {right}[1:].flip(2)])"),
    ("merge_heads", "heads.py", "{right} * 2"),
    ("merge_heads", "heads.py", "{right}.half()"),
    ("merge_heads", "heads.py", "{right}.bfloat16()"),
    ("causal_softmax", "mask.py", "{right}.flip(-2)"),
    ("causal_softmax", "mask.py", "{right} * 0.5"),
    ("causal_softmax", "mask.py", "{right} ** 2"),
    ("causal_mask", "mask.py", "{right}.flip(0)"),
    ("causal_mask", "mask.py", "{right}.roll(1, 1)"),
]


def said_of() -> list[tuple[str, str, Callable[[], Student]]]:
    """(name, exercise, code) of everything that is tried."""
    found = [
        (f"{p.mistake}-{p.exercise}-{p.number}", p.exercise, p.student)
        for entry in catalogue(assignment()).values()
        for p in plant(entry, assignment())
    ]
    strangers = [read(path) for path in sorted((Path(__file__).parent / "strangers").glob("*.py"))]
    for written in [*strangers, *all_in("wrong")]:
        student = partial(local_student, assignment(), written.files)
        found += [(f"{written.name}-{e.id}", e.id, student) for e in assignment().exercises]
    for number, (symbol, file, line) in enumerate(ODD):
        code = f"_right = {symbol}\ndef {symbol}(*args, **more):\n    right = _right(*args, **more)\n"
        code += "    return " + line.replace("{right}", "right") + "\n"
        student = partial(local_student, assignment(), {file: f"import torch\n{source_of(file)}\n\n{code}"})
        found.append((f"odd-{number}-{symbol}", symbol, student))
    return found


@cache
def statements() -> list[tuple[str, str, Student, Message]]:
    return [
        (name, exercise, student(), said)  # a new one, which remembers nothing
        for name, exercise, student in said_of()
        if (said := certain(exercise, student())) is not None
    ]


def test_every_statement_is_true() -> None:
    """Each kind that is ever said has somebody who looks whether it is so."""
    wrong = []
    for name, exercise, student, said in statements():
        kind = said.id.removeprefix("certain.")
        if not TRUE[kind](exercise, student, said.params):
            wrong.append((name, kind, said.params))
    assert not wrong
    assert len({said.id for *_, said in statements()}) > 15


def test_numbers_of_the_input_are_never_said_to_be_none_of_it() -> None:
    """Sentences exchanged, mixed, or right but for the second one."""
    moved = [
        said
        for name, _, _, said in statements()
        if name.startswith("odd-") and said.id.endswith("not_of_input")
    ]
    assert len(moved) == 3  # + 1, + 0.5 and * 2


# --- of heads: coded numbers, all different, in three sentences


def heads_of(
    exercise: str, student: Student, code: Callable[[Tensor], Tensor] = lambda x: x
) -> tuple[Tensor, Tensor]:
    """(x (2, 5, 12), what comes back as (2, h, n, d_k) or (2, n, d))"""
    x = code(public.coded(5, 12, 2))
    if exercise == "split_heads":
        return x, student.split_heads(x, 3)
    y = x.view(2, 5, 3, 4).transpose(1, 2).contiguous()  # (B, n, d) -> (B, h, n, d_k)
    if exercise == "merge_heads":
        return x, student.merge_heads(y)
    same = torch.nn.Linear(12, 12)
    with torch.no_grad():
        same.weight.copy_(torch.eye(12))
        same.bias.zero_()
    return x, student.concat_and_project(y, same)


def _from(values: Tensor) -> tuple[set[int], set[int], list[int]]:
    """(sentences, tokens, places) of coded numbers."""
    numbers = [int(v) for v in values.flatten().tolist()]
    return {v // 1000 for v in numbers}, {v // 100 % 10 for v in numbers}, [v % 100 for v in numbers]


def _axes(exercise: str, student: Student, p: Params) -> bool:
    x = torch.randn(2, 5, 12)
    right = x.view(2, 5, 3, 4).transpose(1, 2)  # (B, n, d) -> (B, h, n, d_k)
    order = [("B", "n_head", "n", "d_k").index(name) for name in p["order"]]
    return torch.equal(student.split_heads(x, 3), right.permute(order))


def _not_of_input(exercise: str, student: Student, p: Params) -> bool:
    x, got = heads_of(exercise, student, lambda x: x * x + 0.25)
    return not set(got.flatten().tolist()) <= set(x.flatten().tolist())


def _row(exercise: str, got: Tensor, p: Params, b: int) -> Tensor:
    return got[b, p["head"], p["token"]] if exercise == "split_heads" else got[b, p["token"]]


def _row_says(holds: Callable[[set[int], list[int], Params], bool]) -> Callable[[str, Student, Params], bool]:
    """Of one of the two sentences it is true."""

    def true(exercise: str, student: Student, p: Params) -> bool:
        _, got = heads_of(exercise, student)
        return any(holds(*_from(_row(exercise, got, p, b))[1:], p) for b in range(2))

    return true


def _mixed(exercise: str, student: Student, p: Params) -> bool:
    _, got = heads_of(exercise, student)
    rows = got[p["sentence"]].reshape(-1, got.shape[-1])
    return p["sentences"] != [p["sentence"]] and any(_from(row)[0] == set(p["sentences"]) for row in rows)


# --- of weights: other scores; of a module by what it does with values and later tokens


def _softmaxed(student: Student) -> tuple[Tensor, Tensor]:
    scores = torch.randn(3, 5, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(8))
    return scores, student.causal_softmax(scores).double()


def _module(
    student: Student, change: Callable[[dict[str, Tensor], Tensor], None] = lambda s, x: None
) -> Tensor:
    x, state, _ = public.revealing(5, 3)
    state = {name: t.clone() for name, t in state.items()}
    change(state, x)
    return student.MultiHeadAttention(15, 3, True, state_dict=state)(x).double()


def _row_sums_of_module(student: Student) -> Tensor:
    """(n, 3): 1 more in every value is as much more in the output as the weights of a row sum to."""

    def more(state: dict[str, Tensor], x: Tensor) -> None:
        state["c_attn.bias"][30:] += 1

    return (_module(student, more) - _module(student)).view(1, 5, 3, 5)[0, :, :, 0]


def _sums(exercise: str, student: Student, p: Params) -> bool:
    if exercise == "causal_softmax":
        return not torch.allclose(_softmaxed(student)[1].sum(-1), torch.ones(3, 5).double(), atol=1e-4)
    sums = _row_sums_of_module(student)
    low, high = float(sums.min()), float(sums.max())
    return abs(low - p["low"]) < 0.01 and abs(high - p["high"]) < 0.01


def _columns(exercise: str, student: Student, p: Params) -> bool:
    if exercise == "causal_softmax":
        weights = _softmaxed(student)[1]
    else:
        weights = _module(student).view(5, 3, 5).transpose(0, 1)  # V of token t: the t-th unit vector
    n = weights.shape[-1]
    return torch.allclose(weights.sum(-2), torch.ones(3, n).double(), atol=1e-3)


def _future(exercise: str, student: Student, p: Params) -> bool:
    if exercise == "causal_softmax":
        return float(_softmaxed(student)[1].triu(1).abs().max()) > 1e-6

    def later(state: dict[str, Tensor], x: Tensor) -> None:
        x[:, -1] += 1

    return bool(((_module(student, later) - _module(student))[:, :-1].abs() > 1e-6).any())


def _scaled(masked: bool) -> Callable[[str, Student, Params], bool]:
    def true(exercise: str, student: Student, p: Params) -> bool:
        future = torch.ones(5, 5, dtype=torch.bool).triu(1) & masked
        if exercise == "causal_softmax":
            scores, got = _softmaxed(student)
            return torch.allclose(
                (scores * p["scale"]).masked_fill(future, -math.inf).softmax(-1), got, atol=1e-3
            )
        x = torch.randn(1, 5, 15, generator=torch.Generator().manual_seed(8)) * 0.5
        state = {"c_attn.weight": torch.randn(45, 15, generator=torch.Generator().manual_seed(9)) * 0.3}
        state |= {
            "c_attn.bias": torch.zeros(45),
            "c_proj.weight": torch.eye(15),
            "c_proj.bias": torch.zeros(15),
        }
        q, k, v = (x @ state["c_attn.weight"].T).view(5, 3, 3, 5).permute(1, 2, 0, 3)  # (3, h, n, d_k)
        weights = (q @ k.transpose(1, 2) * p["scale"]).masked_fill(future, -math.inf).softmax(-1)
        right = (weights @ v).transpose(0, 1).reshape(1, 5, 15)  # (h, n, d_k) -> (1, n, d)
        return torch.allclose(student.MultiHeadAttention(15, 3, True, state_dict=state)(x), right, atol=2e-3)

    return true


def _nan(exercise: str, student: Student, p: Params) -> bool:
    got = student.causal_softmax(torch.randn(2, 6, 6)) if exercise == "causal_softmax" else _module(student)
    return bool(got.isnan().any()) and (p["all"] == bool(got.isnan().flatten(0, -2).any(-1).all()))


def _mask_row(exercise: str, student: Student, p: Params) -> bool:
    got = student.causal_mask(p["n_query"], p["n_key"])
    allowed = [k for k in range(p["n_key"]) if not bool(got[p["row"], k])]
    wanted = list(range(p["n_key"] - p["n_query"] + p["row"] + 1))
    return allowed == p["allowed"] and wanted == p["expected"] and allowed != wanted


# --- of layers


def _after_layers(exercise: str, student: Student, weight: float, bias: float) -> Tensor:
    """What comes out when c_proj's numbers are all these."""
    if exercise == "concat_and_project":
        linear = torch.nn.Linear(12, 12)
        with torch.no_grad():
            linear.weight.fill_(weight)
            linear.bias.fill_(bias)
        y = torch.randn(1, 3, 5, 4, generator=torch.Generator().manual_seed(2))
        return student.concat_and_project(y, linear)

    def change(state: dict[str, Tensor], x: Tensor) -> None:
        state["c_proj.weight"].fill_(weight)
        state["c_proj.bias"].fill_(bias)

    return _module(student, change)


def _no_bias(exercise: str, student: Student, p: Params) -> bool:
    return torch.equal(_after_layers(exercise, student, 0.5, 0), _after_layers(exercise, student, 0.5, 7))


def _no_c_proj(exercise: str, student: Student, p: Params) -> bool:
    return torch.equal(_after_layers(exercise, student, 0.5, 0), _after_layers(exercise, student, 3.0, 7))


def _more_than_c_proj(exercise: str, student: Student, p: Params) -> bool:
    out = _after_layers(exercise, student, 0, 7)
    used = not torch.equal(out, _after_layers(exercise, student, 0.5, 0))
    return used and not torch.equal(out, torch.full_like(out, 7))


# --- of generate and of the cache: what they said and were given, counted by somebody else


class Counting:
    """A model that counts on, and writes down (tokens, start, tokens in the cache) of each call."""

    n_positions = 64

    def __init__(self) -> None:
        self.calls: list[tuple[int, int, int]] = []

    def __call__(self, ids: Tensor, cache: Any = None, start: int = 0) -> tuple[Tensor, Any]:
        past = cache[0][0].shape[2] if cache else 0
        self.calls.append((ids.shape[1], int(start), past))
        kept = torch.zeros(ids.shape[0], 1, past + ids.shape[1], 1)
        return torch.nn.functional.one_hot((ids + 1) % 23, 23).float(), [(kept, kept)]


def _calls(student: Student, use_cache: bool = True) -> tuple[list[tuple[int, int, int]], Tensor]:
    model = Counting()
    out = student.generate(model, torch.tensor([[3, 1], [7, 2]]), 3, use_cache)
    return model.calls, out


def _fed(exercise: str, student: Student, p: Params) -> bool:
    return _calls(student, p["use_cache"])[0][p["step"] - 1][0] == p["got"] != p["expected"]


def _cache_length(exercise: str, student: Student, p: Params) -> bool:
    def lengths(*schedule: int) -> list[int]:
        attention = student.MultiHeadAttention(6, 2, True, state_dict=public.weights())
        cache, found = None, []
        for m in schedule:
            cache = student.attend_with_cache(attention, torch.randn(1, m, 6), cache)[1]
            found.append(kept(cache)[0].shape[2])
        return found

    return any(
        lengths(*schedule)[p["step"] - 1 : p["step"]] == [p["got"]] for schedule in ((4,), (2, 1, 1), (2, 2))
    )


def _first_wrong(exercise: str, student: Student, p: Params) -> bool:
    """The attention worked out here: of all that is decoded, one text after the other, this is wrong first."""
    x, state = public.sentence(), public.weights()
    q, k, v = (x @ state["c_attn.weight"].T + state["c_attn.bias"]).view(4, 3, 2, 3).permute(1, 2, 0, 3)
    scores = (q @ k.transpose(1, 2) / math.sqrt(3)).masked_fill(torch.ones(4, 4).bool().triu(1), -math.inf)
    right = (scores.softmax(-1) @ v).transpose(0, 1).reshape(4, 6) @ state["c_proj.weight"].T + state[
        "c_proj.bias"
    ]
    near = 1e-4 * float(right.abs().max())
    attention = student.MultiHeadAttention(6, 2, True, state_dict=state)
    for schedule in ((4,), (2, 1, 1), (2, 2)):
        cache, at = None, 0
        for step, m in enumerate(schedule, 1):
            out, cache = student.attend_with_cache(attention, x[:, at : at + m].contiguous(), cache)
            off = [i for i in range(m) if not torch.allclose(out[0, i], right[at + i], rtol=0, atol=near)]
            if off:
                return (step, at, m, off) == (p["step"], p["past"], p["fed"], p["rows"])
            at += m
    return False


TRUE: dict[str, Callable[[str, Student, Params], bool]] = {
    "axes": _axes,
    "not_of_input": _not_of_input,
    "batch_mixed": _mixed,
    "head_reads_tokens": _row_says(lambda tokens, places, p: tokens == set(p["tokens"]) != {p["token"]}),
    "head_reads_places": _row_says(
        lambda tokens, places, p: tokens == {p["token"]} and places == p["places"]
    ),
    "row_holds_tokens": _row_says(lambda tokens, places, p: tokens == set(p["tokens"]) != {p["token"]}),
    "row_in_other_order": _row_says(
        lambda tokens, places, p: (
            tokens == {p["token"]}
            and sorted(places) == list(range(12)) != places
            and [place // 4 for place in places] == p["heads"]
        )
    ),
    "row_holds_heads": _row_says(
        lambda tokens, places, p: (
            tokens == {p["token"]}
            and {place // 4 for place in places} == set(p["heads"])
            and len(set(places)) < 12
        )
    ),
    "row_sums": _sums,
    "columns_sum_to_1": _columns,
    "future_weight": _future,
    "nothing_masked": _scaled(masked=False),
    "scale": _scaled(masked=True),
    "nan_rows": _nan,
    "mask_row": _mask_row,
    "bias_unused": _no_bias,
    "c_proj_unused": _no_c_proj,
    "more_than_c_proj": _more_than_c_proj,
    "fed": _fed,
    "start": lambda e, s, p: any(
        c[p["step"] - 1][1] == p["got"] for c in (_calls(s)[0], _calls(s, False)[0])
    ),
    "cache_passed": lambda e, s, p: _calls(s)[0][p["step"] - 1][2] == p["got"] != p["expected"],
    "length": lambda e, s, p: any(_calls(s, c)[1].shape[1] == p["got"] != 5 for c in (True, False)),
    "cache_length": _cache_length,
    "first_wrong_step": _first_wrong,
}
