"""What a diagnosis says, shows and survives."""

from __future__ import annotations

import time
from typing import Any

import pytest
import torch

from autograder.assignment import load_assignment
from autograder.chapter04.diagnosis import public
from autograder.diagnosis import diagnose, source
from autograder.diagnosis.mutants import local_student
from autograder.diagnosis.observation import of_value
from autograder.sandbox.errors import (
    CallFailed,
    GraderFault,
    NotWritten,
    Place,
    StudentBadReply,
    StudentDied,
    StudentRaised,
    StudentTimeout,
)
from tests.diagnosis.planting import assignment, named, one

IDS = [e.id for e in assignment().exercises]


def diagnosed(mistake: str, exercise: str):
    p = one(mistake, exercise)
    return diagnose(p.student(), exercise, assignment(), {p.file: p.source.encode()})


class Broken:
    """A student every call of which ends the same way."""

    def __init__(self, error: CallFailed) -> None:
        self.error, self.calls = error, 0

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.calls += 1
            raise self.error

        return call


class Odd:
    """A student who gives back the same odd thing for everything."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __getattr__(self, name: str) -> Any:
        if name == "MultiHeadAttention":
            return lambda *a, **k: lambda x: self.value
        if name in ("echo", "echo_module"):
            return lambda *a, **k: (self.value, (self.value, self.value, self.value))
        if name == "cpu_seconds":
            return lambda: 0.0
        return lambda *a, **k: self.value


@pytest.mark.parametrize("exercise", IDS)
@pytest.mark.parametrize(
    "error",
    [
        StudentRaised("RuntimeError", "boom", Place("heads.py", 3, "x.view(1)"), "call"),
        StudentRaised("SyntaxError", "bad", None, "load"),
        NotWritten("split_heads", None),
        StudentTimeout("cpu", 10),
        StudentDied("signal", 11),
        StudentBadReply("what is this"),
    ],
    ids=lambda e: type(e).__name__,
)
def test_nothing_a_student_does_stops_the_diagnosis(exercise, error):
    broken = Broken(error)
    found = diagnose(broken, exercise, assignment(), {"heads.py": b"\xff\x00nonsense"})
    assert found.mistakes == []
    if isinstance(error, StudentTimeout | StudentDied):
        assert broken.calls <= 4  # it is not worth more of our time


@pytest.mark.parametrize("exercise", IDS)
@pytest.mark.parametrize(
    "value",
    ["text", 3, {"a": 1}, [1, 2], (None, None), torch.zeros(0), torch.tensor(True), torch.ones(2, 3), 1.5],
    ids=repr,
)
def test_odd_values_are_only_wrong_answers(exercise, value):
    assert diagnose(Odd(value), exercise, assignment()).mistakes == []


def test_a_fault_of_ours_gets_out():
    with pytest.raises(GraderFault):
        diagnose(Broken(GraderFault("the zygote is gone")), "split_heads", assignment())


def test_the_solution_has_nothing_to_diagnose():
    for exercise in IDS:
        found = diagnose(local_student(load_assignment()), exercise, assignment())
        assert (found.mistakes, found.message) == ([], None)
        assert not {"call", "picture", "certain"} & set(found.shown)


@pytest.mark.parametrize(
    ("mistake", "exercise", "picture"),
    [
        ("split-no-transpose", "split_heads", "read_map"),
        ("merge-no-transpose", "merge_heads", "read_map"),
        ("diagonal-0", "causal_mask", "attention"),
        ("fill-zero", "causal_softmax", "attention"),
        ("mask-missing", "MultiHeadAttention", "leak_map"),
        ("no-scale", "MultiHeadAttention", "attention"),
        ("no-mask-after-prefill", "attend_with_cache", "leak_map"),
        ("recompute-all", "attend_with_cache", "cost"),
    ],
)
def test_what_is_shown(mistake, exercise, picture):
    found = diagnosed(mistake, exercise)
    assert mistake in found.mistakes
    assert found.complete
    assert found.message is None
    assert found.fingerprint
    assert found.shown["picture"]["kind"] == picture
    if mistake != "recompute-all":
        assert found.shown["call"]
        assert found.shown["first_difference"] is not None


def test_the_example_shown_is_public_and_small():
    shown = diagnosed("split-no-transpose", "split_heads").shown
    assert shown["call"] == "split_heads(x, n_head=2)"
    assert shown["inputs"]["x"]["values"] == public.coded().tolist()
    assert shown["expected"]["values"][0][0][1] == [100.0, 101.0, 102.0]
    assert shown["got"]["values"][0][0][1] == [3.0, 4.0, 5.0]
    assert shown["first_difference"] == [0, 0, 1, 0]


def test_an_exception_shows_the_students_own_line():
    found = diagnosed("merge-view-noncontiguous", "merge_heads")
    assert found.mistakes == ["merge-view-noncontiguous"]
    assert found.shown["got"]["exception"] == "RuntimeError"
    assert ".view(" in found.shown["line"]["text"]


def test_the_line_is_shown_only_when_exactly_one_fits():
    code = b'def causal_softmax(s, causal=True):\n    """softmax(s, dim=-2)"""\n    # softmax(s, dim=-2)\n'
    line = b"    return s.softmax(dim=-2)  # here\n"
    ask = source.of_mistakes
    args = (("softmax-queries",), assignment(), "causal_softmax")
    assert ask(*args, {"mask.py": code + line})[0] == {
        "file": "mask.py", "line": 4, "text": "return s.softmax(dim=-2)",
    }  # fmt: skip
    assert ask(*args, {"mask.py": code + line + line})[0] is None
    assert ask(*args, {"mask.py": code})[0] is None
    assert ask(*args, {"mask.py": b"def other(s):\n" + line})[0] is None


def test_a_wrong_scale_that_nobody_knows_is_measured():
    code = """
def causal_softmax(scores, causal=True):
    scores = 0.2 * scores
    if causal:
        scores = scores.masked_fill(causal_mask(*scores.shape[-2:]), float("-inf"))
    return scores.softmax(dim=-1)
"""
    text = (source_of("mask.py")) + code
    found = diagnose(local_student(load_assignment(), {"mask.py": text}), "causal_softmax", assignment())
    assert found.mistakes == []
    assert (found.message.id, found.message.params) == ("certain.scale", {"scale": 0.2, "expected": 1.0})
    assert found.shown["certain"]["id"] == "certain.scale"


def test_the_same_mistake_written_out_in_a_later_place_has_the_same_name():
    for exercise in ("split_heads", "MultiHeadAttention", "attend_with_cache"):
        p = one("split-no-transpose", exercise)
        assert named({p.file: p.source}, exercise) == ("split-no-transpose",)


def test_two_mistakes_in_one_exercise_are_not_misnamed():
    text = source_of("mask.py") + (
        "\n\ndef causal_softmax(scores, causal=True):\n"
        "    future = torch.ones_like(scores, dtype=torch.bool).triu(0)\n"
        "    return scores.masked_fill(future, 0.0).softmax(dim=-2)\n"
    )
    assert named({"mask.py": text}, "causal_softmax") == ()


def test_diagnosis_is_quick_once_the_variants_are_known():
    p = one("no-scale", "MultiHeadAttention")
    diagnose(p.student(), p.exercise, assignment())
    # What asking one question costs is a yardstick of this machine; the quietest moment counts.
    yard = min(
        _cpu(lambda: local_student(load_assignment()).split_heads(public.coded(), 2)) for _ in range(20)
    )
    took = min(_cpu(lambda: diagnose(p.student(), p.exercise, assignment())) for _ in range(5))
    assert took < max(0.3, 500 * yard)


def _cpu(work: Any) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


def test_answers_are_compared_up_to_rounding_and_with_their_nans():
    a = torch.tensor([1.0, float("nan"), 3.0])
    assert of_value(a).same(of_value(a + 1e-6))
    assert not of_value(a).same(of_value(a + 1e-2))
    assert not of_value(a).same(of_value(a.nan_to_num(2.0)))
    assert not of_value(a).same(of_value(a.double()))
    assert not of_value(torch.tensor([-1e9, 1.0])).same(of_value(torch.tensor([-1e9, 2.0])))


def source_of(file: str) -> str:
    from autograder.assignment import KIT as ROOT

    return (ROOT / "solutions" / file).read_text(encoding="utf-8")


def test_millions_of_numbers_are_not_looked_at_one_by_one():
    many = of_value(torch.zeros(64 << 20, dtype=torch.int8))
    assert many.numbers is None
    assert many.same(of_value(torch.ones(64 << 20, dtype=torch.int8)))
    assert not many.same(of_value(torch.zeros(2, 32 << 20, dtype=torch.int8)))
    assert of_value([torch.zeros(1 << 13)] * 3).numbers is None
