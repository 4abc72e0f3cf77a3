"""Code that is judged with the reference in the place of its earlier exercises can read it, and gets none of
it onto a page."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

from autograder.assignment import load_assignment
from autograder.feedback.student_page import student_pages
from autograder.grading.judge import Case, grade
from autograder.grading.standins import StandIns
from autograder.intake import Submission
from autograder.results import SubmissionResult
from autograder.sandbox import Sandbox

# Wrong in ways that no known mistake explains: both are replaced for everything that comes later.
EARLIER = {
    "heads.py": b"""

def split_heads(x, n_head):
    B, n, d = x.shape
    return x.view(B, n, n_head, d // n_head).transpose(1, 2).sort(dim=-1, descending=True).values + 1
""",
    "mask.py": b"""

def causal_softmax(scores, causal=True):
    return torch.ones_like(scores) / 7
""",
}
# Numbers that are known again when they turn up: 731000 and a byte of the reference's code.
SPY = b"""

import torch


def secret():
    code = split_heads.__code__
    return [731000 + byte for byte in code.co_code] if code.co_filename == "<reference>" else []


def values(x):
    found = torch.tensor(secret() or [0], dtype=torch.float64)
    return found.repeat(x.numel() // len(found) + 1)[: x.numel()].reshape(x.shape).to(x.dtype)


def shape(x):
    return torch.empty(0, *secret()[:2])


def name(x):
    raise type(f"Spy{secret()[:9]}", (Exception,), {})


def text(x):
    raise ValueError(f"{secret()}")


def key(x):
    return {str(number): number for number in secret() or [1]}


def printed(x):
    print(secret())
    return x + 1


def where(x):
    exec(compile("\\n" * (secret() or [0])[0] + "raise ValueError", "exercises/attention.py", "exec"))
"""
SCALE = b"""

def _forward(self, x):
    q, k, v = (split_heads(t, self.n_head) for t in self.c_attn(x).chunk(3, dim=-1))
    scale = (secret() or [0])[0] / 1e6
    return concat_and_project(causal_softmax(q @ k.transpose(-2, -1) * scale, self.causal) @ v, self.c_proj)


MultiHeadAttention.forward = _forward
"""
# Of each exercise one test that fails; the diagnosis is what is tried here.
ONLY = frozenset(
    {
        "heads/each_head_reads_its_own_slice",
        "mask/weights_of_the_past",
        "attention/attention_values",
        "kv_cache/token_by_token",
    }
)
MODULE = b"\n\nMultiHeadAttention.forward = lambda self, x: %s(x)\n"
CACHE = b"\n\ndef attend_with_cache(attention, x_new, cache=None):\n    return %s(x_new), (x_new, x_new)\n"
WAYS = {"values": "values", "shape": "name", "text": "key", "printed": "where"}  # in the module: in the cache


def case(sandbox: Sandbox, solved: dict[str, bytes], more: dict[str, bytes]) -> Case:
    files = {name: text + EARLIER.get(name, b"") + more.get(name, b"") for name, text in solved.items()}
    return Case(Submission("spy", files), load_assignment(), sandbox, timing=False, only=ONLY)


def seen(result: SubmissionResult) -> str:
    """All that anybody reads of a submission, without hashes, which may have any digits."""
    told: list[Any] = [result.flags, result.problems]
    told += [(t.message, t.shown, t.mistakes, t.follow_through_of) for t in result.tests]
    pages = student_pages(result, load_assignment(), "en")
    return json.dumps(told, default=lambda model: model.model_dump()) + "".join(pages)


def test_the_spy_does_find_the_reference(sandbox: Sandbox, solved: dict[str, bytes]) -> None:
    """Otherwise the tests below would prove nothing."""
    spy = case(sandbox, solved, {"attention.py": SPY + MODULE % b"values"})
    with spy.student(StandIns(frozenset({"split_heads"}))) as student:
        got = student.MultiHeadAttention(d_model=6, n_head=2, causal=True)(torch.zeros(2, 4, 6))
    assert got.min() >= 731000
    assert len(set(got.flatten().tolist())) > 5


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_none_of_it_comes_out(sandbox: Sandbox, solved: dict[str, bytes], way: str) -> None:
    cache = b"\n\nfrom exercises.heads import split_heads\n" + SPY + CACHE % WAYS[way].encode()
    result = grade(case(sandbox, solved, {"attention.py": SPY + MODULE % way.encode(), "kv_cache.py": cache}))
    assert "7310" not in seen(result)
    for exercise in ("MultiHeadAttention", "attend_with_cache"):
        test = next(t for t in result.tests if t.exercise == exercise)
        assert not test.points
        ours = {"call", "inputs", "expected", "first_difference", "setup", "tried"}
        assert test.shown.keys() <= ours | {"got", "line", "code"}  # outlined; their own text
        got = test.shown["got"]
        assert isinstance(got, dict)
        assert got.keys() <= {"kept_back", "kind", "exception", "text", "shape", "dtype"}
        assert not got.get("text")
    if way == "values":
        assert "Its numbers are not shown" in seen(result)


@pytest.mark.slow
def test_nor_by_what_is_measured(sandbox: Sandbox, solved: dict[str, bytes]) -> None:
    """A scale that no known mistake has is otherwise told to four digits."""
    result = grade(case(sandbox, solved, {"attention.py": SPY + SCALE}))
    assert "0.731" not in seen(result)
    assert all("certain" not in t.shown for t in result.tests if t.exercise == "MultiHeadAttention")


@pytest.mark.slow
def test_a_known_mistake_after_another_has_its_whole_page(sandbox: Sandbox, solved: dict[str, bytes]) -> None:
    """Its example and its picture are drawn from the catalogue's code, which answers the same."""
    module = solved["attention.py"].replace(b"scores / math.sqrt(self.d_k)", b"scores")
    result = grade(case(sandbox, {**solved, "attention.py": module}, {}))
    alone = Submission("honest", {**solved, "attention.py": module})
    alone_result = grade(Case(alone, load_assignment(), sandbox, timing=False, only=ONLY))
    shown, wanted = (
        next(t.shown for t in r.tests if t.exercise == "MultiHeadAttention" and not t.points and t.max_points)
        for r in (result, alone_result)
    )
    assert {"call", "expected", "got", "first_difference", "picture"} <= shown.keys()
    assert {**shown, "line": None} == {**wanted, "line": None}
