"""A submission in its worker and trusted code in this process answer alike: calls, values and errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from autograder.assignment import load_assignment
from autograder.sandbox import (
    GraderFault,
    LocalStudent,
    NotWritten,
    Sandbox,
    StudentBadReply,
    StudentRaised,
    reference_files,
)
from autograder.sandbox.calls import BaseStudent

Make = Callable[..., BaseStudent]


@pytest.fixture(params=["worker", "here"])
def make(request: pytest.FixtureRequest, sandbox: Sandbox) -> Iterator[Make]:
    """make() gives the solutions, make(**{"heads": source}) code of one's own."""
    made: list[BaseStudent] = []

    def build(**sources: str) -> BaseStudent:
        student: BaseStudent
        if request.param == "worker":
            files = {f"{stem}.py": text.encode() for stem, text in sources.items()}
            student = sandbox.student(files or reference_files(load_assignment()))
        elif sources:
            student = LocalStudent(
                load_assignment(), {stem: module(stem, text) for stem, text in sources.items()}
            )
        else:
            student = LocalStudent(load_assignment())
        made.append(student)
        return student

    yield build
    for student in made:
        student.close()


def module(stem: str, text: str) -> ModuleType:
    """A module of this text."""
    out = ModuleType(stem)
    out.__file__ = f"/nowhere/{stem}.py"
    exec(compile(text, out.__file__, "exec"), vars(out))
    return out


def test_a_function(make: Make) -> None:
    x = torch.randn(2, 7, 15)
    got = make().split_heads(x, n_head=3)
    assert got.equal(x.view(2, 7, 3, 5).transpose(1, 2))
    assert got.is_contiguous()
    assert not got.requires_grad


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
def test_dtypes_and_devices(make: Make, dtype: torch.dtype) -> None:
    student = make()
    assert student.causal_softmax(torch.randn(3, 3, dtype=dtype)).dtype == dtype
    meta = student.split_heads(torch.empty(2, 4, 6, dtype=dtype, device="meta"), 3)
    assert (meta.device.type, meta.shape, meta.dtype) == ("meta", (2, 3, 4, 2), dtype)
    assert student.causal_mask(3, device="meta").device.type == "meta"


def test_a_linear_layer_as_an_argument(make: Make) -> None:
    layer, y = nn.Linear(6, 6), torch.randn(2, 3, 4, 2)
    got = make().concat_and_project(y, layer)
    assert torch.allclose(got, layer(y.transpose(1, 2).reshape(2, 4, 6)).detach())


def test_a_module_with_given_weights(make: Make) -> None:
    student = make()
    state = {
        "c_attn.weight": torch.randn(18, 6),
        "c_attn.bias": torch.randn(18),
        "c_proj.weight": torch.zeros(6, 6),
        "c_proj.bias": torch.arange(6.0),
    }
    attention = student.MultiHeadAttention(6, 3, state_dict=state, dtype=torch.float64)
    got = attention(torch.randn(1, 4, 6, dtype=torch.float64))
    assert got.equal(torch.arange(6.0, dtype=torch.float64).expand(1, 4, 6))
    meta = student.MultiHeadAttention(d_model=6, n_head=3, device="meta")
    assert meta(torch.empty(1, 4, 6, device="meta")).device.type == "meta"
    with pytest.raises(StudentRaised, match="c_extra"):
        student.MultiHeadAttention(6, 3, state_dict={**state, "c_extra": torch.zeros(1)})
    with pytest.raises(StudentRaised, match="size mismatch"):
        student.MultiHeadAttention(6, 3, state_dict={**state, "c_attn.bias": torch.zeros(1)})


def test_a_cache_stays_where_it_is(make: Make) -> None:
    student, x = make(), torch.randn(2, 5, 6)
    attention = student.MultiHeadAttention(6, 3)
    whole = attention(x)
    out, first = student.attend_with_cache(attention, x[:, :3], None)
    again, second = student.attend_with_cache(attention, x[:, 3:], first)
    assert torch.allclose(torch.cat([out, again], dim=1), whole, atol=1e-6)
    before, after = first.tensors(), second.tensors()
    assert before[0].shape == (2, 3, 3, 2)
    assert after[1].shape == (2, 3, 5, 2)
    assert after[0][:, :, :3].equal(before[0])
    out, _ = student.attend_with_cache(attention, x[:, 3:], before)  # the tensors themselves will do as well
    assert out.equal(again)


def test_echo_shows_the_arguments_after_the_call(make: Make) -> None:
    student = make(heads="def split_heads(x, n_head):\n    x += 1\n    return x.sum()\n")
    x = torch.zeros(2, 3)
    value, after = student.echo("split_heads", x, 3)
    assert value == 6
    assert after[0].equal(torch.ones(2, 3))
    assert after[1] == 3
    assert x.equal(torch.zeros(2, 3))


def test_echo_gives_back_what_it_cannot_send(make: Make) -> None:
    student, x = make(), torch.randn(1, 2, 6)
    attention = student.MultiHeadAttention(6, 3)
    (out, cache), after = student.echo("attend_with_cache", attention, x, None)
    assert after[0] is attention
    assert after[1].equal(x)
    assert out.shape == (1, 2, 6)
    assert cache.tensors()[0].shape == (1, 3, 2, 2)
    got, x_after = student.echo_module(attention, x)
    assert got.shape == x.shape
    assert x_after.equal(x)


def test_gradients(make: Make) -> None:
    student = make()
    scores, weight = torch.randn(4, 4), torch.randn(4, 4)
    mine = scores.clone().requires_grad_()
    future = torch.ones(4, 4, dtype=torch.bool).triu(1)
    (mine.masked_fill(future, -torch.inf).softmax(-1) * weight).sum().backward()
    got = student.gradient("causal_softmax", [scores], cotangent=weight)
    assert torch.allclose(got, mine.grad)
    attention, x = student.MultiHeadAttention(6, 3), torch.randn(1, 4, 6)
    pick = torch.zeros(1, 4, 6)
    pick[0, 1] = 1
    into = student.gradient(attention, [x], cotangent=pick)
    assert into[0, :2].abs().min() > 0
    assert into[0, 2:].abs().max() == 0
    named = student.module_gradient(attention, x, torch.ones(1, 4, 6))
    assert set(named) == {"c_attn.weight", "c_attn.bias", "c_proj.weight", "c_proj.bias"}
    no_tensor = student.gradient("attend_with_cache", [attention, x, None], wrt=1, cotangent=pick)
    assert type(no_tensor) is tuple


@pytest.mark.parametrize("body", ["pass", "return ()", "return {}", "return ''"])
def test_a_module_that_returns_nothing_is_not_written(make: Make, body: str) -> None:
    student = make(
        attention="from torch import nn\nclass MultiHeadAttention(nn.Module):\n"
        "    def __init__(self, d_model, n_head):\n"
        "        super().__init__()\n        self.c_attn = nn.Linear(d_model, d_model)\n"
        f"    def forward(self, x):\n        {body}\n"
    )
    x = torch.randn(1, 4, 6)
    with pytest.raises(NotWritten):
        student.module_gradient(student.MultiHeadAttention(6, 3), x, x)


def test_no_gradient_where_nothing_depends(make: Make) -> None:
    student = make(heads="import torch\ndef split_heads(x, n_head):\n    return torch.zeros(3)\n")
    assert student.gradient("split_heads", [torch.ones(2), 1], cotangent=torch.ones(3)).equal(torch.zeros(2))


class Model:
    """Counts up: the next token is the last one plus one. Records what it is fed."""

    n_positions = 12

    def __init__(self) -> None:
        self.fed: list[tuple[list[list[int]], int, int]] = []

    def __call__(self, ids: torch.Tensor, cache: Any = None, start: int = 0) -> tuple[torch.Tensor, Any]:
        past = 0 if cache is None else cache[0][0].shape[2]
        self.fed.append((ids.tolist(), start, past))
        if start + ids.shape[1] > self.n_positions:
            raise ValueError("that is too long")
        grown = torch.zeros(ids.shape[0], 2, past + ids.shape[1], 3)
        return nn.functional.one_hot(ids + 1, 20).float(), [(grown, grown)]


def test_generate_is_answered_and_seen_by_the_judge(make: Make) -> None:
    model = Model()
    got = make().generate(model, torch.tensor([[1, 2, 3]]), max_new_tokens=3, use_cache=True)
    assert got.tolist() == [[1, 2, 3, 4, 5, 6]]
    assert model.fed == [([[1, 2, 3]], 0, 0), ([[4]], 3, 3), ([[5]], 4, 4)]


def test_what_the_model_raises_reaches_the_students_code(make: Make) -> None:
    text = """
def generate(model, ids, max_new_tokens, use_cache=True):
    try:
        model(ids, start=11)
    except ValueError as error:
        raise KeyError(str(error))
"""
    with pytest.raises(StudentRaised, match="KeyError: 'that is too long'"):
        make(kv_cache=text).generate(Model(), torch.tensor([[1, 2, 3]]), 1)


def test_an_exception_has_its_place(make: Make) -> None:
    text = "def helper(x):\n    return x.view(99)\n\ndef split_heads(x, n_head):\n    return helper(x)\n"
    with pytest.raises(StudentRaised) as caught:
        make(heads=text).split_heads(torch.zeros(3), 1)
    error = caught.value
    assert (error.kind, error.where) == ("RuntimeError", "call")
    assert error.place is not None
    assert (error.place.file, error.place.line) == ("heads.py", 2)


def test_a_stub_is_not_written(make: Make) -> None:
    text = """
def split_heads(x, n_head):
    raise NotImplementedError("split_heads")

def merge_heads(y):
    return split_heads(y, 1)
"""
    student = make(heads=text)
    for call in (lambda: student.split_heads(torch.zeros(1), 1), lambda: student.merge_heads(torch.zeros(1))):
        with pytest.raises(NotWritten) as caught:
            call()
        assert caught.value.symbol == "split_heads"
        assert caught.value.place is not None
        assert caught.value.place.line == 3


def test_what_torch_has_not_implemented_is_no_stub(make: Make) -> None:
    text = "import torch\ndef split_heads(x, n_head):\n    return torch.empty(2, device='meta').cpu()\n"
    with pytest.raises(StudentRaised) as caught:
        make(heads=text).split_heads(torch.zeros(1), 1)
    assert type(caught.value) is StudentRaised


def test_a_name_that_is_gone_is_not_written(make: Make) -> None:
    with pytest.raises(NotWritten) as caught:
        make(heads="x = 1\n").split_heads(torch.zeros(1), 1)
    assert caught.value.symbol == "split_heads"


def test_a_module_without_forward_is_not_written(make: Make) -> None:
    text = "from torch import nn\nclass MultiHeadAttention(nn.Module):\n    pass\n"
    attention = make(attention=text).MultiHeadAttention()
    with pytest.raises(NotWritten) as caught:
        attention(torch.zeros(1))
    assert caught.value.symbol == "MultiHeadAttention"


@pytest.mark.parametrize(
    "value", ["object()", "torch.zeros(2).to_sparse()", "1j", "(i for i in x)", "type(x)"]
)
def test_values_that_cannot_be_compared(make: Make, value: str) -> None:
    with pytest.raises(StudentBadReply):
        make(heads=f"import torch\ndef split_heads(x, n_head):\n    return {value}\n").split_heads(
            torch.zeros(1), 1
        )


@pytest.mark.parametrize(("value", "kind"), [("x", Tensor), ("(x, None, None)", tuple), ("object()", None)])
def test_what_should_be_a_pair_comes_back_as_it_is(make: Make, value: str, kind: type | None) -> None:
    text = f"def attend_with_cache(attention, x, cache=None):\n    return {value}\n"
    student = make(kv_cache=text)
    if kind is None:
        with pytest.raises(StudentBadReply):
            student.attend_with_cache(None, torch.zeros(1), None)
    else:
        assert type(student.attend_with_cache(None, torch.zeros(1), None)) is kind


def test_a_layer_that_comes_back_is_no_plain_value_and_no_attack(make: Make) -> None:
    student = make(attention="def concat_and_project(y, c_proj):\n    return c_proj\n")
    with pytest.raises(StudentBadReply, match="Linear"):
        student.concat_and_project(torch.zeros(1, 2, 3, 4), nn.Linear(8, 8))
    assert not getattr(student, "flags", [])


def test_caches_of_any_form_can_be_passed_on(make: Make) -> None:
    text = """
class Cache:
    n = 0

def attend_with_cache(attention, x, cache=None):
    cache = cache or Cache()
    cache.n += 1
    return x * cache.n, cache
"""
    student = make(kv_cache=text)
    _, cache = student.attend_with_cache(None, torch.ones(1), None)
    assert cache.tensors() is None
    out, _ = student.attend_with_cache(None, torch.ones(1), cache)
    assert out.tolist() == [2]
    none = make(kv_cache="def attend_with_cache(a, x, cache=None):\n    return x, None\n")
    _, cache = none.attend_with_cache(None, torch.ones(1), None)
    assert cache.tensors() is None


def test_references_stay_with_their_student(make: Make) -> None:
    one, other = make(), make()
    attention = one.MultiHeadAttention(6, 3)
    with pytest.raises(GraderFault):
        other.attend_with_cache(attention, torch.zeros(1, 2, 6), None)
    one.fresh()
    with pytest.raises(GraderFault):
        attention(torch.zeros(1, 2, 6))


def test_a_wrong_name_is_the_tests_mistake(make: Make) -> None:
    student = make()
    with pytest.raises(AttributeError):
        student.no_such_symbol(1)
    with pytest.raises(GraderFault):
        student.split_heads(object(), 1)


def test_calls_run_without_gradients(make: Make) -> None:
    text = "import torch\ndef split_heads(x, n_head):\n    return torch.is_grad_enabled()\n"
    assert make(heads=text).split_heads(torch.zeros(1), 1) is False
