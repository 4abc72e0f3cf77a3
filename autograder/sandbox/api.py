"""The contract between hidden tests and whatever answers for a submission.

`Student` is what the fixture `student` is. Two things implement it: `remote.RemoteStudent` (a submission in
locked-down workers) and `local.LocalStudent` (trusted code, such as the solutions or a known mistake, in this
process). A hidden test or a diagnosis probe written over it runs on both.

Values that cross: None, bool, int, float, str, tuple, list, dict, tensors (strided, any of FP64 FP32 FP16
BF16, ints, bool; device "cpu", or "meta" for shape and dtype only), and nn.Linear as an argument (rebuilt
over there). Tensors that come back are plain, rebuilt from bytes, contiguous, without gradient. Every call
raises `errors.CallFailed` when there is no value.

Symbols of a submission are called as attributes:

    y = student.layer_norm(x, eps=1e-5)
    block = student.FeedForward(d_model=15, state_dict=weights, dtype=torch.float64)
    y = block(x)
    out, state = student.running_mean(x, None)                 # state stays there: a KeptRef
    out, state = student.running_mean(x_next, state)
    y = student.minimum(f, x, steps=5)                         # f: the judge's, may be called

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


class KeptRef(Protocol):
    """A result that stays where the submission runs, whatever form it has: it can be passed on."""

    def tensors(self) -> tuple[Tensor, ...] | None:
        """Its tensors as they are now, when it is a tuple or list of tensors; None for any other form."""


class Student(Protocol):
    """A submission (or trusted code in its place)."""

    def __getattr__(self, symbol: str) -> Callable[..., Any]:
        """A function of the submission, or the class of a module, `Module(…, *, state_dict, dtype, device,
        train=False) -> ModuleRef` (state_dict: names to tensors, loaded strictly)."""

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
