"""Tools for the public tests. You need not read them to solve the exercises."""

# The builder puts this text into the notebook, with the course's sentences in TEXTS.
import os
from typing import Any

import torch
from torch import Tensor

TEXTS: dict[str, str] = {}


class NotRight(Exception):
    """A result is not what the test expects; the text says why."""


class Check:
    """What a public test asks of a result."""

    def same(self, got: Any, expected: Any, axes: str, rough: bool = False) -> None:
        """Same shape, same numbers up to rounding; `axes` names the axes."""
        self.tensor(got)
        want = torch.as_tensor(expected)
        if got.shape != want.shape:
            names = ", ".join(_named(axes))
            raise _wrong("wrong.shape", expected=tuple(want.shape), got=tuple(got.shape), names=names)
        a, b = got.detach().double(), want.double()
        atol, rtol = (5e-2, 5e-2) if rough else (1e-5, 1e-4)
        near = (a - b).abs() <= atol * max(1.0, float(b.abs().max())) + rtol * b.abs()  # NaN is near nothing
        if not near.all():
            first = tuple((~near).nonzero()[0].tolist())
            where = ", ".join(f"{name} {i}" for name, i in zip(_named(axes), first, strict=True))
            count = {"wrong": int((~near).sum()), "all": near.numel()}
            values = {"expected": f"{float(b[first]):.6g}", "got": f"{float(a[first]):.6g}"}
            raise NotRight(
                f"{TEXTS['wrong.values']} {TEXTS['show.count_plain'].format(**count)}\n"
                f"{TEXTS['show.first'].format(where=where, **values)}\n"
                f"{TEXTS['show.expected']}:\n{expected}\n{TEXTS['show.got']}:\n{got}"
            )

    def tensor(self, got: Any) -> None:
        """A tensor, and not something else."""
        if got is None:
            raise NotRight(TEXTS["ui.returns_nothing"])
        if not isinstance(got, Tensor):
            raise _wrong("wrong.type", got=type(got).__name__)

    def dtype(self, got: Any, expected: torch.dtype) -> None:
        """The type of the numbers."""
        self.tensor(got)
        self.that(got.dtype == expected, "wrong.dtype", expected=expected, got=got.dtype)

    def refuses(self, call: Any) -> None:
        """call() must raise an error."""
        try:
            call()
        except NotImplementedError:
            raise
        except Exception:
            return
        raise _wrong("wrong.accepted")

    def unchanged(self, name: str, now: Tensor, before: Tensor) -> None:
        """Your code must not write into what it is given."""
        self.that(torch.equal(now, before), "wrong.input_changed", name=name)

    def past_unmoved(self, now: Any, before: Any, changed: int) -> None:
        """Outputs (B, n, d) before position `changed` are what they were before it was changed."""
        self.tensor(now)
        moved = (now - before).abs().amax(dim=(0, 2))[:changed]  # (B, n, d) -> (n,) -> (changed,)
        for position, by in enumerate(moved.tolist()):
            self.that(by <= 1e-6, "wrong.leak", changed=changed, position=position, by=f"{by:.3g}")

    def gradient(self, call: Any, **inputs: Tensor) -> Tensor:
        """Training: what comes back to each input is how much it really moves call()."""
        for tensor in inputs.values():
            tensor.requires_grad_()

        def total() -> Tensor:
            out = call()
            self.tensor(out)
            places = torch.arange(out.numel(), dtype=torch.float64).reshape(out.shape)
            one: Tensor = (out.double() * torch.cos(places)).sum()
            return one

        slopes: list[Any] = [None] * len(inputs)
        with torch.enable_grad():
            moved = total()
            if moved.requires_grad:
                slopes = list(torch.autograd.grad(moved, list(inputs.values()), allow_unused=True))
        for (name, tensor), slope in zip(inputs.items(), slopes, strict=True):
            said = name.replace("_weight", ".weight").replace("_bias", ".bias")
            self.that(slope is not None, "wrong.no_gradient", name=said)
            step = 0.02 * torch.sin(torch.arange(1.0, 1 + tensor.numel()).reshape(tensor.shape) ** 2)
            tensor += step
            up = total()
            tensor -= 2 * step
            down = total()
            tensor += step
            real, found = float(up - down) / 2, float((slope * step).sum())
            self.that(abs(found - real) <= max(1e-3, 0.02 * abs(real)), "wrong.gradient", name=said)
        first: Tensor = slopes[0]
        return first

    def that(self, ok: bool, key: str, **params: Any) -> None:
        """Any other condition."""
        if not ok:
            raise _wrong(key, **params)

    def advise(self, ok: bool, key: str, **params: Any) -> None:
        """Not a mistake, but good to know."""
        if not ok:
            print(f"  ({TEXTS[key].format(**params)})")

    def note(self, case: str, value: Any) -> None:
        """Only used outside of notebooks."""


def _wrong(key: str, **params: Any) -> NotRight:
    """The sentence of that key."""
    text = TEXTS[key].format_map({"names": "", **params})
    return NotRight("\n".join([text, *params.get("calls", ())]))


def _named(axes: str) -> list[str]:
    """The axes' names in words."""
    return [TEXTS.get(f"axis.{axis}", axis) for axis in axes.split()]


def run_public_tests(*tests: Any) -> None:
    """Runs the tests with your code and prints what came of them."""
    grading = os.environ.get("NBGRADER_EXECUTION")
    if grading == "autograde":  # other tests decide then
        return
    failed = []
    for test in tests:
        says = _why_not(test)
        print(f"[{'  ' if says else 'ok'}] {test.__doc__}")
        if says:
            failed.append(test.__doc__)
            print("     " + says.replace("\n", "\n     "))
    if failed and grading == "validate":  # nbgrader's Validate button looks for an error
        raise AssertionError("; ".join(failed))


def _why_not(test: Any) -> str:
    """What is wrong, in words; "" when the test passes."""
    names = test.__code__.co_varnames[: test.__code__.co_argcount]
    try:
        with torch.no_grad():
            test(*[Check() if name == "check" else _symbol(name) for name in names])
    except NotImplementedError:
        return TEXTS["notebook.not_written"]
    except NotRight as e:
        return str(e)
    except Exception as e:  # whatever your code raises
        return TEXTS["raised.error"].format(kind=type(e).__name__, text=e)
    return ""


def _giving(function: Any) -> Any:
    """The function; one that returns nothing is not written yet."""

    def call(*args: Any, **kwargs: Any) -> Any:
        got = function(*args, **kwargs)
        if got is None:
            raise NotRight(TEXTS["ui.returns_nothing"])
        return got

    return call


def _symbol(name: str) -> Any:
    """Your function or class, from the cell above."""
    if name not in globals():
        raise NotRight(TEXTS["notebook.run_above"].format(symbol=name))
    if not isinstance(globals()[name], type):
        return _giving(globals()[name])

    def make(*args: Any, **kwargs: Any) -> Any:
        module = globals()[name](*args, **kwargs).eval()
        module.layer = lambda layer, times=1: getattr(module, layer)  # the tests set weights with it
        return module

    return make
