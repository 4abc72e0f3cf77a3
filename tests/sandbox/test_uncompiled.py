"""Torch's compiler is imported by who compiles, and by nobody else."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
import torch

from autograder.course import Limits
from autograder.sandbox import Sandbox
from autograder.sandbox.uncompiled import COMPILER, patient

META = "m = torch.ones(8, 8, device='meta')\nm.masked_fill(m.triu(1) > 0, 0.0).softmax(-1); torch.cat([m, m])"
THERE = f"import sys\nreturn {COMPILER!r} in sys.modules"


def answer(sandbox: Sandbox, snippet: str) -> object:
    body = "".join(f"    {line}\n" for line in snippet.splitlines())
    text = f"import torch\n\ndef split_heads(x, n_head):\n{body}"
    with sandbox.student({"heads.py": text.encode()}, limits=Limits()) as student:
        return student.split_heads(torch.zeros(1), 1)


def test_not_for_what_the_exercises_need(sandbox: Sandbox) -> None:
    assert answer(sandbox, f"{META}\n{THERE}") is False


def test_for_who_needs_it(sandbox: Sandbox) -> None:
    assert answer(sandbox, f"import torch._dynamo\n{META}\n{THERE}") is True


def test_the_function_itself_until_the_compiler_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def wrap(function: Callable[..., Any], recursive: bool = True) -> Callable[..., Any]:
        asked.append(recursive)
        return lambda *args, **kwargs: ("wrapped", function(*args, **kwargs))

    decorate = patient(wrap)

    def add(a: int, b: int = 1) -> int:
        """Adds."""
        return a + b

    plain, bare = decorate(add), decorate(recursive=False)(add)
    assert asked == [True, False]
    assert plain.__doc__ == "Adds."
    monkeypatch.delitem(sys.modules, COMPILER, raising=False)
    assert (plain(1), bare(1, b=2)) == (2, 3)
    monkeypatch.setitem(sys.modules, COMPILER, sys)
    assert (plain(1), bare(1, b=2)) == (("wrapped", 2), ("wrapped", 3))
