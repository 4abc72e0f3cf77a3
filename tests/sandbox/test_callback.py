"""What a submission is handed and may call: any whole number will do, and it is a module like others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from autograder.assignment import load_assignment
from autograder.sandbox import Sandbox, StudentRaised
from autograder.sandbox.callback import whole
from autograder.sandbox.calls import BaseStudent
from autograder.sandbox.local import LocalStudent
from tests.sandbox.test_student import module

TOP = "import torch, copy\nimport numpy as np\n\n\ndef generate(model, ids, new, use_cache=True):\n    "
Ask = Callable[[str], Any]


class Model:
    """Says what it was called with."""

    n_positions = 7

    def __call__(self, ids: torch.Tensor, cache: object = None, start: int = 0) -> object:
        assert type(start) is int
        return ids.to(torch.int64), cache, start


@pytest.fixture(params=["worker", "here"])
def ask(request: pytest.FixtureRequest, sandbox: Sandbox) -> Ask:
    """The value of an expression in which `model` and `ids` stand for what generate is handed."""

    def of(expression: str) -> Any:
        text = f"{TOP}return {expression}\n"
        student: BaseStudent = (
            sandbox.student({"kv_cache.py": text.encode()})
            if request.param == "worker"
            else LocalStudent(load_assignment(), {"kv_cache": module("kv_cache", text)})
        )
        with student:
            return student.generate(Model(), torch.tensor([[1, 2]]), 3)

    return of


@pytest.mark.parametrize(
    "start",
    ["3", "torch.tensor(3)", "torch.tensor([3])", "torch.tensor([[3]], dtype=torch.uint8)", "np.int64(3)",
     "np.uint8(3)", "np.array(3)", "np.array([3])", "type('At', (), {'__index__': lambda self: 3})()"],
)  # fmt: skip
def test_every_whole_number_is_a_position(ask: Ask, start: str) -> None:
    assert ask(f"model(ids, None, {start})[2]") == 3
    assert ask(f"model(ids, start={start}, cache=[])[1:]") == ([], 3)


@pytest.mark.parametrize(
    ("start", "why"),
    [("True", "a bool"), ("torch.tensor(True)", "a bool"), ("2.0", "a float"), ("torch.ones(1)", "of float"),
     ("torch.tensor([1, 2])", "not 2 in a Tensor"), ("np.zeros((2, 2), int)", "not 4 in a ndarray"),
     ("None", "a NoneType"), ("'3'", "a str"), ("np.float32(1)", "a float32"), ("[3]", "a list")],
)  # fmt: skip
def test_what_is_no_position_is_refused_in_true_words(ask: Ask, start: str, why: str) -> None:
    with pytest.raises(StudentRaised, match=f"start must be .*{why}"):
        ask(f"model(ids, start={start})")


@pytest.mark.parametrize(
    "ids", ["ids", "ids.int()", "ids.to(torch.uint8)", "ids.numpy()", "ids.tolist()", "[ids[0].tolist()]",
            "ids.expand(2, 2)[:1]", "ids.t().t()", "torch.nn.Parameter(ids, requires_grad=False)",
            "ids[:, [0, 0, 1]][:, 1:]", "np.array([[2, 1]])[:, ::-1]", "np.array([2, 1])[None, ::-1].copy()"],
)  # fmt: skip
def test_every_form_of_ids(ask: Ask, ids: str) -> None:
    assert ask(f"model({ids})[0]").tolist() == [[1, 2]]


@pytest.mark.parametrize(
    "does",
    ["model.eval() is model", "model.train() is model", "model.to('cpu').to(torch.float32) is model",
     "model.cpu().float() is model", "not model.training", "model.forward(ids)[2] == 0",
     "next(model.parameters()).device == ids.device", "sum(p.numel() for p in model.parameters()) == 0",
     "model.device.type == 'cpu'", "model.dtype == torch.float32", "model.config.n_positions == 7",
     "model.config.n_ctx == model.n_ctx == 7", "model.config.max_position_embeddings == 7",
     "isinstance(model, torch.nn.Module)", "len(repr(model)) < 1000", "copy.deepcopy(model)(ids)[2] == 0",
     "copy.copy(model)(ids)[2] == 0", "model.requires_grad_(False) is model", "model.zero_grad() is None",
     "not hasattr(model, 'blocks')", "list(model.modules()) == [model]", "len(model.state_dict()) == 1",
     "torch.compile(model)(ids)[2] == 0", "torch.no_grad()(model)(ids)[2] == 0"],
)  # fmt: skip
def test_what_a_module_has_does_no_harm(ask: Ask, does: str) -> None:
    assert ask(does) is True


def test_what_it_does_not_have_is_said_truly(ask: Ask) -> None:
    with pytest.raises(StudentRaised, match="no attribute 'transformer'"):
        ask("model.transformer")
    with pytest.raises(StudentRaised, match="unexpected keyword argument 'past_key_values'"):
        ask("model(ids, past_key_values=None)")


@pytest.mark.parametrize("cache", ["[(np.zeros(2), np.ones(2))]", "object()", "torch.ones(2).to_sparse()"])
def test_what_the_model_cannot_take_is_said_of_the_model(sandbox: Sandbox, cache: str) -> None:
    with sandbox.student({"kv_cache.py": f"{TOP}return model(ids, {cache})\n".encode()}) as student:
        with pytest.raises(StudentRaised, match="the model cannot take") as caught:
            student.generate(Model(), torch.tensor([[1, 2]]), 3)
        assert caught.value.kind == "TypeError"
        assert caught.value.place is not None


def test_whole_gives_python_ints() -> None:
    assert type(whole(torch.tensor(2, dtype=torch.int16), "start")) is int
