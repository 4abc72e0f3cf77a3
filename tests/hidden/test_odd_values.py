"""Whatever a submission gives back, it is the submission's fault: a grader fault would give it the points."""

from __future__ import annotations

import pytest

from tests.hidden.grading import outcomes
from tests.hidden.pieces import FILES, SOLUTIONS

ODD = {
    "none": "None",
    "word": '"tensor"',
    "number": "3",
    "not_a_number": 'float("nan")',
    "empty_tuple": "()",
    "nested": "[[value], {1: value}]",
    "three": "(value, value, value)",
    "without_numbers": 'torch.empty(value.shape, device="meta")',
    "one_number": "torch.tensor(1.0)",
    "no_numbers": "value[:0]",
    "bool": "value > 0",
    "bytes": "value.to(torch.uint8)",
    "whole": "value.to(torch.int64)",
    "half": "value.to(torch.float16)",
    "double": "value.to(torch.float64)",
    "nan": "value * float('nan')",
    "infinite": "torch.full(value.shape, float('inf'))",
    "huge": "torch.full(value.shape, 1e308, dtype=torch.float64)",
    "constant": "torch.ones_like(value)",
    "one_axis_more": "value[None]",
    "parameter": "nn.Parameter(value.float())",
    "expanded": "value.flatten()[:1].sum().expand(value.shape)",
    "turned": "value.mT",
}
WRAPPED = """

import torch
from torch import nn


def _odd(f):
    def inner(*args, **kwargs):
        given = f(*args, **kwargs)
        if isinstance(given, tuple):
            value = given[0]
            return ({odd}), given[1]
        value = given
        return {odd}

    return inner


"""
SYMBOLS = {
    "heads.py": ("split_heads", "merge_heads"),
    "mask.py": ("causal_mask", "causal_softmax"),
    "attention.py": ("concat_and_project", "MultiHeadAttention.forward"),
    "kv_cache.py": ("attend_with_cache", "generate"),
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_values_are_never_a_grader_fault(odd: str):
    files = {}
    for name in FILES:
        wrap = "".join(f"{symbol} = _odd({symbol})\n" for symbol in SYMBOLS[name])
        files[name] = (SOLUTIONS / name).read_text(encoding="utf-8") + WRAPPED.format(odd=ODD[odd]) + wrap
    found = outcomes(files)
    assert [(o.id, o.message) for o in found if o.verdict == "grader_fault"] == []
    assert sum(o.max_points for o in found if o.earns) < 97, "nothing was odd"


@pytest.mark.parametrize(("name", "symbol"), [(n, s) for n, symbols in SYMBOLS.items() for s in symbols])
def test_a_function_that_gives_no_numbers_is_never_a_grader_fault(name: str, symbol: str):
    files = {file: (SOLUTIONS / file).read_text(encoding="utf-8") for file in FILES}
    files[name] += WRAPPED.format(odd=ODD["no_numbers"]) + f"{symbol} = _odd({symbol})\n"
    found = outcomes(files)
    assert [(o.id, o.message) for o in found if o.verdict == "grader_fault"] == []
    own = symbol.partition(".")[0]
    assert any(o.exercise == own and not o.earns for o in found)


@pytest.mark.parametrize(
    "cache", ["None", "7", '"past"', "[[None]]", "out", "(kv[1], kv[0], kv)", "(None, None)", "lambda: 1"]
)
def test_odd_caches_are_never_a_grader_fault(cache: str):
    files = {name: (SOLUTIONS / name).read_text(encoding="utf-8") for name in FILES}
    files["kv_cache.py"] += f"""

_right = attend_with_cache


def attend_with_cache(attention, x_new, cache=None):
    out, kv = _right(attention, x_new, None)
    return out, ({cache})
"""
    found = outcomes(files)
    assert [(o.id, o.message) for o in found if o.verdict == "grader_fault"] == []
    lost = {o.exercise for o in found if not o.earns}
    assert {"attend_with_cache"} <= lost <= {"attend_with_cache", "gpt2"}


ASKS = {
    "no_tensor": "model([[1, 2]])",
    "one_axis": "model(ids[0])",
    "no_tokens": "model(ids[:, :0])",
    "fractions": "model(ids.float())",
    "outside": "model(ids + 1000)",
    "negative": "model(ids - 1000)",
    "many": "model(ids.expand(100_000, -1) if len(ids) == 1 else ids.repeat(100_000, 1))",
    "odd_start": 'model(ids, None, "0")',
    "far_start": "model(ids, None, 10**15)",
    "before_the_start": "model(ids, None, -1)",
    "odd_cache": "model(ids, 7)",
    "cache_of_words": 'model(ids, [["k", "v"]] * 2)',
    "cache_of_nan": "model(ids, [(ids[:, None, :, None].expand(-1, 2, -1, 3) * float('nan'),) * 2] * 2)",
    "cache_of_infinities": "model(ids, [(ids[:, None, :, None].expand(-1, 2, -1, 3) / 0.0,) * 2] * 2)",
    "long_cache": "model(ids, [(torch.zeros(len(ids), 2, 1_000_000, 3),) * 2] * 2)",
    "other_batch": "model(ids[:1], model(ids.repeat(3, 1))[1], ids.shape[1])",
    "cache_of_dicts": "model(ids, {0: {}})",
    "without_numbers": 'model(torch.empty(ids.shape, dtype=torch.int64, device="meta"))',
}


@pytest.mark.parametrize("ask", ASKS)
def test_odd_questions_to_the_model_are_never_a_grader_fault(ask: str):
    files = {name: (SOLUTIONS / name).read_text(encoding="utf-8") for name in FILES}
    files["kv_cache.py"] += f"""

_right = generate


def generate(model, ids, max_new_tokens, use_cache=True):
    {ASKS[ask]}
    return _right(model, ids, max_new_tokens, use_cache)
"""
    found = outcomes(files)
    assert [(o.id, o.message) for o in found if o.verdict == "grader_fault"] == []
    assert {o.exercise for o in found if not o.earns} == {"generate"}
