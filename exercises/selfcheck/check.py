"""What a public test asks of a result. Every failure is a Trouble: what was expected, and what came."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from exercises.selfcheck.calls import Attempt
from exercises.selfcheck.trouble import NotTried, Raised, Trouble

ATOL, RTOL = 1e-5, 1e-4
ROUGH = 5e-2  # of numbers that keep 8 bits


@dataclass
class Comparison:
    """Two results side by side, for the report."""

    expected: Tensor
    got: Tensor
    axes: tuple[str, ...]
    wrong: Tensor  # bool, where they differ


class Check:
    """The fixture `check`."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt

    def same(self, got: Any, expected: Any, axes: str, rough: bool = False) -> None:
        """Same shape, same numbers up to rounding. `axes`: their names, "batch head token number"."""
        names = tuple(axes.split())
        want = torch.as_tensor(expected)
        self.tensor(got)
        if got.shape != want.shape:
            raise Trouble("wrong.shape", expected=tuple(want.shape), got=tuple(got.shape), axes=names)
        ref, mine = want.to(torch.float64), got.detach().cpu().to(torch.float64)
        near, share = (ROUGH, ROUGH) if rough else (ATOL, RTOL)
        atol = near * max(1.0, float(ref.abs().max())) if ref.numel() else near
        wrong = ~((mine - ref).abs() <= atol + share * ref.abs())  # NaN is never near anything
        if wrong.any():
            shown = got.detach().cpu() if got.dtype == torch.bool or want.dtype != torch.bool else mine
            raise Trouble("wrong.values", picture=Comparison(want, shown, names, wrong))

    def tensor(self, got: Any) -> None:
        """A tensor, and not something else."""
        if not isinstance(got, Tensor):
            raise Trouble("wrong.type", got=type(got).__name__)

    def dtype(self, got: Any, expected: torch.dtype) -> None:
        """The type of the numbers."""
        self.tensor(got)
        if got.dtype != expected:
            raise Trouble("wrong.dtype", expected=_plain(expected), got=_plain(got.dtype))

    def refuses(self, call: Callable[[], Any]) -> None:
        """call() must raise an error, whichever."""
        try:
            call()
        except Raised as error:
            if error.kind == "TimeLimit":
                raise
            self._attempt.refusals.append(error)
        else:
            raise Trouble("wrong.accepted")

    def unchanged(self, name: str, now: Tensor, before: Tensor) -> None:
        """The student's code must not write into what it is given."""
        self._attempt.note(f"{name} after the call", now)
        if now.shape != before.shape or not torch.equal(now, before):
            raise Trouble("wrong.input_changed", name=name)

    def past_unmoved(self, now: Any, before: Any, changed: int) -> None:
        """Outputs (B, n, d) before the token `changed` are what they were before it was changed."""
        self.tensor(now)
        moved = (now - before).detach().abs().amax(dim=(0, 2))[:changed]  # (B, n, d) -> (n,) -> (changed,)
        for position, by in enumerate(moved.tolist()):
            if not by <= 1e-6:
                raise Trouble("wrong.leak", changed=changed, position=position, by=f"{by:.3g}")

    def gradient(self, call: Callable[[], Any], **inputs: Tensor) -> Tensor:
        """Training: what comes back to each input is how much it really moves call(). Gives the first's."""
        for tensor in inputs.values():
            tensor.requires_grad_()

        def total() -> Tensor:
            out = call()
            self.tensor(out)
            places = torch.arange(out.numel(), dtype=torch.float64).reshape(out.shape)
            one: Tensor = (out.double() * torch.cos(places)).sum()  # each number counts, none like another
            return one

        slopes: list[Tensor | None] = [None] * len(inputs)
        with self._attempt.training():
            moved = total()
        if moved.requires_grad:
            slopes = list(torch.autograd.grad(moved, list(inputs.values()), allow_unused=True))
        for (name, tensor), slope in zip(inputs.items(), slopes, strict=True):
            said = name.replace("_weight", ".weight").replace("_bias", ".bias")
            if slope is None:
                raise Trouble("wrong.no_gradient", name=said)
            step = 0.02 * torch.sin(torch.arange(1.0, 1 + tensor.numel()).reshape(tensor.shape) ** 2)
            with torch.no_grad():
                tensor += step
                up = total()
                tensor -= 2 * step
                down = total()
                tensor += step
            real, found = float(up - down) / 2, float((slope * step).sum())
            if not abs(found - real) <= max(1e-3, 0.02 * abs(real)):
                raise Trouble("wrong.gradient", name=said)
        assert slopes[0] is not None
        return slopes[0]

    def that(self, ok: bool, key: str, **params: Any) -> None:
        """Any other condition; `key` is its text."""
        if not ok:
            raise Trouble(key, **params)

    def note(self, case: str, value: object) -> None:
        """Keeps a value for --record."""
        self._attempt.note(case, value)

    def advise(self, ok: bool, key: str, **params: object) -> None:
        """Not a mistake, but good to know."""
        if not ok:
            self._attempt.advice.append((key, params))

    def cannot_be_tried(self, key: str, **params: Any) -> None:
        """Something that is not the student's is missing."""
        raise NotTried(key, **params)


def _plain(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
