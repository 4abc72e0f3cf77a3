"""Whatever is long, wide, deep or enormous in what a submission gives back: the result stays small, and its
pages can be written in a moment."""

from __future__ import annotations

import time
from typing import Any

import pytest
import torch

from autograder import bounded
from autograder.checks.check import Check, Wrong, fingerprint
from autograder.feedback.student_page import student_pages
from autograder.grading.judge import grade
from autograder.identity import kit_of
from autograder.results import Flag, Message, Problem, SubmissionResult, TestResult, Verdict
from tests.chapter04.grading import assignment, case_of
from tests.chapter04.pieces import FILES, SOLUTIONS

RIGHT = {name: (SOLUTIONS / name).read_text(encoding="utf-8") for name in FILES}
WHOLE = {  # in the place of a symbol: what it gives
    "wide, without rows": "torch.empty(0, 1 << 38)",
    "rows without numbers": "torch.empty(2_000_000, 0)",
    "sizes without numbers": "torch.empty(1 << 12, 0, 1 << 12, 0)",
    "wide, without memory": "torch.empty(1 << 40, device='meta')",
    "rows of NaN": "torch.full((1 << 20, 3), float('nan'))",
    "many numbers": "torch.arange(1 << 22).reshape(2, -1, 2)",
    "long text": "'ab' * 30_000",
    "many texts": "['a' * 9_000] * 20",
    "long keys": "{'k' * 9_000 + str(i): 1 for i in range(20)}",
    "deep": "eval('(' * 28 + '1,' * 90 + ')' + ',)' * 27)",
    "long name": "type('N' * 100_000, (), {})()",
}
SYMBOLS = {
    "split_heads": ("heads.py", "def split_heads(x, n_head):\n    return {}\n"),
    "causal_mask": ("mask.py", "def causal_mask(n_query, n_key=None, device=None):\n    return {}\n"),
    "MultiHeadAttention": ("attention.py", "MultiHeadAttention.forward = lambda self, x: {}\n"),
    "attend_with_cache": ("kv_cache.py", "def attend_with_cache(a, x, cache=None):\n    return {0}, 1\n"),
}
PAIRS = [("split_heads", value) for value in WHOLE] + [
    (symbol, value)
    for symbol in list(SYMBOLS)[1:]
    for value in ("wide, without rows", "rows without numbers", "rows of NaN")
]


@pytest.mark.parametrize(("symbol", "value"), PAIRS)
def test_the_result_stays_small_and_has_its_pages(symbol: str, value: str) -> None:
    file, text = SYMBOLS[symbol]
    case = case_of({**RIGHT, file: f"{RIGHT[file]}\n\nimport torch\n\n{text.format(WHOLE[value])}"})
    case.host = type("Level", (), {"level": "none"})()
    result = grade(case)
    assert result.score < 100
    assert len(result.model_dump_json(indent=1)) < 200_000
    began = time.process_time()
    for language in ("en", "pt-BR"):
        html, markdown = student_pages(result, assignment(), language)
        assert len(html) < 500_000
        assert len(markdown) < 200_000
    assert time.process_time() - began < 5


def test_a_check_names_a_few_of_many_rows() -> None:
    check = Check(assignment().tolerance)
    with pytest.raises(Wrong) as wrong:
        check.finite(torch.full((1 << 20, 2), float("nan")))
    assert wrong.value.params["rows"] == list(range(64))
    assert wrong.value.params["nan"] == 1 << 21


def test_a_fingerprint_of_millions_is_quick_and_tells_shapes_apart() -> None:
    one, other = torch.zeros(1 << 22), torch.zeros(1 << 21, 2)
    began = time.process_time()
    assert fingerprint(one) == fingerprint(one.clone()) != fingerprint(other)
    assert time.process_time() - began < 2


def _result(**more: Any) -> SubmissionResult:
    return SubmissionResult(student="ana", score=7, isolation="none", kit=kit_of({}, assignment()), **more)


def _test(**more: Any) -> TestResult:
    fields = {"id": "heads/x", "exercise": "split_heads", "concept": "c", "points": 1, "max_points": 2}
    return TestResult.model_validate({**fields, "verdict": Verdict.FAILED, **more})


MANY = {
    "params": {f"p{i}": ["x" * 500] * 9 for i in range(9)} | {f"t{i}": "\u20ac" * 5_000 for i in range(9)}
}
ENORMOUS = {
    "shown": _result(tests=[_test(shown={"got": {"shape": [0], "values": [[]] * 500_000}})] * 3),
    "message": _result(tests=[_test(message=Message(id="raised", **MANY))] * 60),
    "flags": _result(tests=[_test()], flags=[Flag(id="not_allowed", **MANY)] * 500),
    "many flags": _result(tests=[_test()], flags=[Flag(id="f", params={"name": "n"})] * 100_000),
    "problems": _result(tests=[], problems=[Problem(id="file.several", **MANY)] * 500),
    "fingerprint": _result(tests=[_test(fingerprint="f" * 2_000_000)]),
    "characters": _result(tests=[_test(message=Message(id="raised", params={"text": "\u20ac" * 900_000}))]),
}


@pytest.mark.parametrize("what", ENORMOUS)
def test_no_result_is_larger_than_a_megabyte(what: str) -> None:
    given = ENORMOUS[what]
    small = bounded.result(given)
    assert len(small.model_dump_json(indent=1).encode()) <= bounded.LARGEST
    assert (small.student, small.score) == (given.student, given.score)
    for kept, before in zip(small.tests, given.tests, strict=True):
        assert (kept.id, kept.verdict, kept.points) == (before.id, before.verdict, before.points)


def test_an_ordinary_result_is_left_as_it_is() -> None:
    given = _result(tests=[_test(shown={"got": {"shape": [2], "values": [1, 2]}})] * 80)
    assert bounded.result(given) is given


def test_parameters_are_bounded_in_every_direction() -> None:
    deep: Any = 1
    for _ in range(500):
        deep = [deep]
    found = bounded.params(
        {"long": "x" * 10**6, "wide": list(range(10**5)), "deep": deep, "huge": 10**400, "k" * 10**6: 1,
         "dict": dict.fromkeys(map(str, range(10**5)), 0)}
    )  # fmt: skip
    assert len(str(found)) < 6_000
    assert found["wide"][:3] == [0, 1, 2]
