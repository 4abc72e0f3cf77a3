"""A GPT-2 in the judge whose attention is answered by the submission; everything else in it is ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from torch import Tensor, nn

from autograder.checks.check import Wrong
from autograder.sandbox.api import ModuleRef, Student
from autograder.sandbox.errors import GraderFault, StudentBadReply, StudentFault
from lab.gpt2 import GPT2


class Asked(nn.Module):
    """Holds the weights of one attention layer and asks a submission's module for the answer."""

    def __init__(self, d_model: int, n_head: int, causal: bool) -> None:
        super().__init__()
        self.d_model, self.n_head, self.causal = d_model, n_head, causal
        self.c_attn = nn.Linear(d_model, 3 * d_model)
        self.c_proj = nn.Linear(d_model, d_model)
        self.student: Student | None = None
        self.module: ModuleRef | None = None

    def ask(self, student: Student) -> None:
        """From now on this submission answers, with this layer's weights."""
        self.student = student
        self.module = student.MultiHeadAttention(
            d_model=self.d_model, n_head=self.n_head, causal=self.causal, state_dict=self.state_dict()
        )

    def forward(self, x: Tensor) -> Tensor:
        """(B, n, d) -> (B, n, d), unless what comes back has another shape: see `_same_shape`."""
        with _theirs():
            assert self.module is not None
            return _same_shape(self.module(x), x)


class OddAnswer(Exception):
    """The submission's attention gave something that does not fit back into GPT-2.

    `shape`: of the tensor that does; None where a pair of one and a cache was to come.
    """

    def __init__(self, got: Any, shape: tuple[int, ...] | None) -> None:
        super().__init__("not a tensor of the right shape")
        self.got, self.shape = got, shape


def _same_shape(got: Any, x: Tensor) -> Tensor:
    if not isinstance(got, Tensor) or got.shape != x.shape or got.dtype != x.dtype:
        raise OddAnswer(got, tuple(x.shape))
    return got


def _attend(attention: Asked, x: Tensor, cache: Any) -> tuple[Tensor, Any]:
    with _theirs():
        assert attention.student is not None
        got = attention.student.attend_with_cache(attention.module, x, cache)
        if not isinstance(got, tuple | list) or len(got) != 2:
            raise OddAnswer(got, None)
        return _same_shape(got[0], x), got[1]


@contextmanager
def _theirs() -> Iterator[None]:
    """Asking a submission: what an odd value does to us here is the submission's doing."""
    try:
        yield
    except (StudentFault, GraderFault, OddAnswer):
        raise
    except Exception as e:
        raise StudentBadReply(f"{type(e).__name__} inside GPT-2") from None


@contextmanager
def ours() -> Iterator[None]:
    """Everything else inside GPT-2 is the kit's: an error there costs nobody points. Raises GraderFault."""
    try:
        yield
    except (StudentFault, GraderFault, OddAnswer, Wrong):
        raise
    except Exception as e:
        raise GraderFault(f"course.toml's GPT-2 failed: {type(e).__name__}: {e}") from None


@lru_cache(maxsize=1)
def _model(name: str) -> GPT2:
    """The course's GPT-2, once per judge process. Raises GraderFault."""
    return _had(name, attention=Asked, attend_with_cache=_attend)


def _had(name: str, **parts: Any) -> GPT2:
    try:
        return GPT2.from_pretrained(name, **parts).requires_grad_(False)
    except Exception as e:  # whatever is wrong with it, no submission is to blame
        raise GraderFault(f"course.toml's GPT-2 {name!r} cannot be had: {e}") from None


def around(name: str, student: Student) -> GPT2:
    """GPT-2 (course.toml's) with the submission's attention in every layer. Raises GraderFault."""
    model = _model(name)
    for layer in model.modules():
        if isinstance(layer, Asked):
            layer.ask(student)
    return model


@lru_cache(maxsize=1)
def _right(name: str) -> GPT2:
    """The same with the solutions' attention; equal to transformers' GPT2LMHeadModel (tests/hidden)."""
    return _had(name)


@lru_cache(maxsize=16)
def _right_logits(name: str, ids: tuple[tuple[int, ...], ...]) -> Tensor:
    import torch

    with ours():
        logits: Tensor = _right(name).logits(torch.tensor(ids))
    return logits


def right_logits(name: str, ids: Tensor) -> Tensor:
    """(B, n) -> (B, n, vocab), worked out once per judge process. Raises GraderFault."""
    return _right_logits(name, tuple(tuple(row) for row in ids.tolist()))
