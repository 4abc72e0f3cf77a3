"""The contract between hidden tests and whatever answers for a submission.

`Student` is what the fixture `student` is. Two things implement it: `remote.RemoteStudent` (a submission in
locked-down workers) and `local.LocalStudent` (trusted code, such as the solutions or a known mistake, in this
process). A hidden test or a diagnosis probe written over it runs on both.

Values that cross: None, bool, int, float, str, tuple, list, dict, tensors (strided, any of FP64 FP32 FP16
BF16, ints, bool; device "cpu", or "meta" for shape and dtype only), and nn.Linear as an argument (rebuilt
over there). Tensors that come back are plain, rebuilt from bytes, contiguous, without gradient. Every call
raises `errors.CallFailed` when there is no value.

Symbols of a submission are called as attributes:

    weights = student.causal_softmax(scores, causal=False)
    attention = student.MultiHeadAttention(d_model=15, n_head=3, state_dict=weights, dtype=torch.float64)
    y = attention(x)
    out, cache = student.attend_with_cache(attention, x_new, None)        # cache is a CacheRef
    out, cache = student.attend_with_cache(attention, x_next, cache)
    ids = student.generate(model, ids, max_new_tokens=5, use_cache=True)  # model: a JudgeModel

Calls run under torch.no_grad() except `gradient`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from torch import Tensor


class ModuleRef(Protocol):
    """A student's nn.Module, kept where it lives, in eval mode (or training mode when asked)."""

    def __call__(self, x: Tensor) -> Tensor:
        """forward(x)"""


class CacheRef(Protocol):
    """A cache the student's code returned, kept where it lives: whatever form it has, it can be passed on."""

    def tensors(self) -> tuple[Tensor, Tensor] | None:
        """(K, V) as they are now, when the cache is a pair (tuple or list) of tensors; None for any other
        form.
        """


class JudgeModel(Protocol):
    """What `generate` is handed. In a worker it is a thing that asks the judge; the judge answers and
    records.
    """

    n_positions: int

    def __call__(self, ids: Tensor, cache: Any = None, start: int = 0) -> tuple[Tensor, Any]:
        """ids (B, m) -> (logits (B, m, vocab), cache: list of one (K, V) per layer)"""


class Student(Protocol):
    """A submission (or trusted code in its place)."""

    def __getattr__(self, symbol: str) -> Callable[..., Any]:
        """A function of the submission, or `MultiHeadAttention(d_model, n_head, causal, *, state_dict, dtype,
        device, train=False) -> ModuleRef` (state_dict: names to tensors, loaded strictly)."""

    def echo(self, symbol: str, *args: Any, **kwargs: Any) -> tuple[Any, tuple[Any, ...]]:
        """(value, args as they are after the call): for "inputs unchanged"."""

    def echo_module(self, module: ModuleRef, x: Tensor) -> tuple[Tensor, Tensor]:
        """(module(x), x as it is after the call)."""

    def gradient(
        self, target: str | ModuleRef, args: Sequence[Any], *, wrt: int = 0, cotangent: Tensor, **kwargs: Any
    ) -> Any:
        """d sum(cotangent * f(*args)) / d args[wrt]; zeros where the output does not depend on it, and the
        output itself where it is no tensor."""

    def module_gradient(self, target: ModuleRef, x: Tensor, cotangent: Tensor) -> Mapping[str, Tensor]:
        """d sum(cotangent * module(x)) / d parameter, by name, without those that get none."""

    def cpu_seconds(self) -> float:
        """CPU seconds that the submission's process has used, read from outside (GraderFault where it cannot
        be).
        """

    def fresh(self, chance: int = 0) -> None:
        """The next call starts in a new process: nothing of earlier calls is left.

        chance: what random numbers grow from; the same ones every time when it is left out.
        """
