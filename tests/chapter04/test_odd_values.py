"""Whatever a submission gives back is the submission's doing. It is no fault of ours, which would give it the
points, it stops nobody, and it earns what it is worth; the right value in odd clothes costs nothing."""

from __future__ import annotations

import builtins
import inspect
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from autograder.assignment import load_assignment
from autograder.chapter04.hidden.recorded_model import RecordedModel
from autograder.checks.directly import run_directly
from autograder.checks.inputs import SeededInputs
from autograder.checks.outcome import Outcome
from autograder.diagnosis import diagnose, views
from autograder.diagnosis.observation import look
from autograder.results import Verdict
from autograder.sandbox import LocalStudent, Sandbox
from autograder.sandbox.api import Student
from autograder.sandbox.errors import StudentFault
from autograder.sandbox.trusted import load
from tests.chapter04 import odd_values as odd
from tests.chapter04.grading import assignment, case_of, hidden_tests, outcomes
from tests.chapter04.pieces import FILES, SOLUTIONS

SYMBOLS = load_assignment().symbols  # name -> file
Wrap = Callable[[Callable[..., Any]], Callable[..., Any]]


def student_with(symbol: str, wrap: Wrap) -> LocalStudent:
    """The solutions, one symbol wrapped; of a class its forward."""
    right = getattr(load(load_assignment(), {})[SYMBOLS[symbol].removesuffix(".py")], symbol)
    if inspect.isclass(right):
        return student_of(symbol, type(symbol, (right,), {"forward": wrap(right.forward)}))
    return student_of(symbol, wrap(right))


def student_of(symbol: str, thing: Any) -> LocalStudent:
    """The solutions, one symbol standing for something else."""
    modules = load(load_assignment(), {})
    setattr(modules[SYMBOLS[symbol].removesuffix(".py")], symbol, thing)
    return LocalStudent(load_assignment(), modules)


def found(symbol: str, wrap: Wrap) -> dict[str, Outcome]:
    """What the hidden tests of that symbol's exercises say."""
    return asked(student_with(symbol, wrap), symbol)


def asked(student: LocalStudent, symbol: str) -> dict[str, Outcome]:
    """The same, of any student."""
    own = {e.id for e in assignment().exercises if symbol in e.symbols}
    # GPT-2 asks for the cache in one test only.
    others = ("gpt2/all_logits", "gpt2/no_leak_through_all_layers") if symbol == "attend_with_cache" else ()
    only = [id for id, (_, mark) in hidden_tests().items() if mark["exercise"] in own and id not in others]
    return {o.id: o for o in run_directly(assignment(), student, only=only, timing=False)}


def earned(got: dict[str, Outcome]) -> set[str]:
    """Tests that give points, or praise. What only proves an attempt may pass: these are attempts."""
    tests = hidden_tests()
    return {id for id, o in got.items() if o.earns and (o.max_points or tests[id][1]["side"])}


@cache
def of_zeros(symbol: str) -> set[str]:
    """What zeros of the right shape earn: they are plainly wrong."""
    return earned(found(symbol, lambda f: odd.giving(f, torch.zeros_like)))


def nobody_stumbled(got: dict[str, Outcome]) -> None:
    """No fault of ours, and no check of ours that fell over a value instead of saying what is wrong."""
    for id, o in got.items():
        assert o.verdict is not Verdict.GRADER_FAULT, (id, o.message)
        assert o.message is None or ".py:" not in str(o.message.params), (id, o.message)


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_what_is_worthless_earns_nothing(symbol: str):
    large = odd.LARGE if symbol == "split_heads" else {}  # costs us seconds
    for name, make in {**odd.WORTHLESS, **large}.items():
        got = found(symbol, lambda f, make=make: odd.giving(f, make))
        nobody_stumbled(got)
        assert earned(got) - of_zeros(symbol) == set(), name


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_another_kind_of_number_does_not_earn_everything(symbol: str):
    for name, make in odd.OTHER_KIND.items():
        got = found(symbol, lambda f, make=make: odd.giving(f, make))
        nobody_stumbled(got)
        nothing_changed = symbol == "causal_mask" and name == "bool"
        assert all(o.earns for o in got.values() if o.max_points) is nothing_changed, name


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_the_right_value_in_other_clothes_costs_nothing(symbol: str):
    for name, make in odd.RIGHT.items():
        got = found(symbol, lambda f, make=make: odd.giving(f, make))
        assert {id: o.message for id, o in got.items() if not o.earns} == {}, name
    for name, make in odd.NO_GRADIENT.items():
        got = found(symbol, lambda f, make=make: odd.giving(f, make))
        about_gradients = {id for id in got if "gradient" in id or "training" in id}
        assert {id for id, o in got.items() if not o.earns} == about_gradients, name


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_a_diagnosis_survives_all_of_it(symbol: str):
    for name, make in {**odd.WORTHLESS, **odd.OTHER_KIND}.items():
        student = student_with(symbol, lambda f, make=make: odd.giving(f, make))
        assert json.dumps(diagnose(student, symbol, assignment()).shown), name


def test_a_diagnosis_that_stumbles_all_the_same_costs_only_itself(monkeypatch):
    def stumble(*_: Any, **__: Any) -> None:
        raise IndexError("odder than all of the above")

    monkeypatch.setattr("autograder.grading.judge.diagnose", stumble)
    files = {name: (SOLUTIONS / name).read_text(encoding="utf-8") for name in FILES}
    files["mask.py"] += "\n\ndef causal_mask(n_query, n_key=None, device=None):\n    return torch.ones(1)\n"
    case = case_of(files)
    got = case.first_run()
    assert any(not o.earns for o in got)
    assert case.diagnoses(got) == {}


def test_an_outline_says_it_in_words_of_ours():
    x, split = torch.zeros(1, 4, 6), torch.zeros(1, 2, 4, 3)
    for name, make in {**odd.WORTHLESS, **odd.LARGE, **odd.OTHER_KIND, **odd.RIGHT}.items():
        student = student_with("split_heads", lambda f, make=make: odd.giving(f, make))
        try:
            got = student.split_heads(x, 2)
        except StudentFault as fault:
            got = fault
        said = views.outline(got, split)
        assert said.keys() <= {"kept_back", "exception", "text", "kind", "shape", "dtype"}, name
        assert said.get("shape", [1, 2, 4, 3]) == [1, 2, 4, 3], name
        words = [said[key] for key in ("exception", "kind") if key in said]
        assert all(word == "NoneType" or hasattr(builtins, word) for word in words), name
        assert not said.get("text"), name


def test_anything_under_the_name_of_the_module():
    for name, thing in odd.CLASSES.items():
        student = student_of("MultiHeadAttention", thing)
        got = asked(student, "MultiHeadAttention")
        nobody_stumbled(got)
        assert {id for id in earned(got) if got[id].max_points} <= of_zeros("MultiHeadAttention"), name
        diagnose(student, "MultiHeadAttention", assignment())


def test_a_pair_in_any_form():
    for name, pair in odd.PAIRS_RIGHT.items():
        got = found("attend_with_cache", lambda f, pair=pair: odd.pairing(f, pair))
        assert {id: o.message for id, o in got.items() if not o.earns} == {}, name
    for name, pair in odd.PAIRS_WRONG.items():
        got = found("attend_with_cache", lambda f, pair=pair: odd.pairing(f, pair))
        nobody_stumbled(got)
        assert earned(got) <= of_zeros("attend_with_cache"), name
    got = found("attend_with_cache", lambda f: odd.pairing(f, odd.PAIRS_WRONG["output_alone"]))
    for test in ("kv_cache/cache_shapes", "gpt2/all_logits_with_the_cache"):
        message = got[test].message
        assert message is not None
        assert (message.id, message.params["got"]) == ("kind.wrong", "Tensor")


def test_a_cache_in_any_form():
    for name, (pack, unpack) in odd.CACHES.items():
        got = found("attend_with_cache", lambda f, p=pack, u=unpack: odd.keeping(f, p, u))
        assert {id: o.message for id, o in got.items() if not o.earns} == {}, name
    for name, pack in odd.CACHES_WRONG.items():
        got = found("attend_with_cache", lambda f, p=pack: odd.keeping(f, p, None))
        nobody_stumbled(got)
        assert not got["kv_cache/prompt_then_tokens"].earns, name
        diagnose(
            student_with("attend_with_cache", lambda f, p=pack: odd.keeping(f, p, None)),
            "attend_with_cache",
            assignment(),
        )


# A submission whose every function gives the odd thing named.
EVERYWHERE = """

MAKE = {**WORTHLESS, **LARGE, **OTHER_KIND, **RIGHT, **NO_GRADIENT}[NAME]
VALUE = torch.arange(24.0)


def split_heads(x, n_head):
    return MAKE(VALUE.view(1, 2, 4, 3) + x.mean())


def merge_heads(y):
    return MAKE(VALUE.view(1, 4, 6) + y.mean())


def causal_mask(n_query, n_key=None, device=None):
    return MAKE(torch.ones(n_query, n_query, dtype=torch.bool).triu(1))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_head, causal=True):
        super().__init__()

    def forward(self, x):
        return MAKE(x * 2)


def attend_with_cache(attention, x_new, cache=None):
    return MAKE(x_new * 2), MAKE(x_new * 3)


def generate(model, ids, max_new_tokens, use_cache=True):
    model(ids, MAKE(ids[:, None].float()), 0)
    return MAKE(ids)
"""


def calls(student: Student) -> dict[str, Callable[[], Any]]:
    """Something of every kind that can be asked."""
    x, y = torch.arange(24.0).view(1, 4, 6), torch.arange(24.0).view(1, 2, 4, 3)
    model = RecordedModel(SeededInputs("", "odd"))
    attention = student.MultiHeadAttention(6, 2, True)
    return {
        "call": lambda: student.split_heads(x, 2),
        "echo": lambda: student.echo("merge_heads", y)[0],
        "gradient": lambda: student.gradient("split_heads", (x, 2), cotangent=y),
        "bool": lambda: student.causal_mask(3),
        "module": lambda: attention(x),
        "gradients": lambda: list(student.module_gradient(attention, x, x)),
        "pair": lambda: pair(student.attend_with_cache(attention, x)),
        "model": lambda: student.generate(model, torch.tensor([[1, 2]]), 2),
    }


def pair(value: Any) -> Any:
    """Output and cache, as far as they can be seen."""
    return [v.tensors() if hasattr(v, "tensors") else v for v in value]


def test_the_sandbox_says_the_same():
    """Everything above was called in this process; from a locked-down one the very same must come back."""
    source = Path(odd.__file__).read_text(encoding="utf-8") + EVERYWHERE
    with Sandbox(assignment()) as sandbox:
        for name in (*odd.WORTHLESS, *odd.LARGE, *odd.OTHER_KIND, *odd.RIGHT, *odd.NO_GRADIENT):
            files = dict.fromkeys(FILES, "from exercises.heads import *\n")
            files["heads.py"] = source.replace("[NAME]", f"[{name!r}]")
            here = LocalStudent(load_assignment(), load(load_assignment(), files))
            with sandbox.student({file: text.encode() for file, text in files.items()}) as there:
                questions, wanted = calls(there), calls(here)
                if name in odd.LARGE:
                    questions = {what: questions[what] for what in ("module", "model")}
                look(questions.pop("model"))  # no fault; here nothing lies between it and who asks
                for what in questions:
                    got, right = look(questions[what]), look(wanted[what])
                    assert got.same(right), (name, what, got.form, right.form)
                assert not there.flags, name


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
