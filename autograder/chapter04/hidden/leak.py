"""Which tokens reach which positions? Shared by the tests of the module, the cache and GPT-2."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from autograder.checks.check import Check, Wrong, fingerprint
from autograder.checks.inputs import SeededInputs

from ..inputs import attention_weights

MOST = 1 << 20  # numbers: ten sentences' logits of a real GPT-2, and no more to be compared again and again
SILENT = 3  # times: what is drawn by chance may be the same twice
SHARE = 1e-6  # of the largest output: rounding in odd but right code (renormalised weights) stays below


def no_leak(
    f: Callable[[Tensor], Tensor],
    x: Tensor,
    change: Callable[[int], Tensor],
    check: Check,
    what: str,
    *,
    looks_back: bool = False,
) -> None:
    """Changes every position in turn and looks at all positions before it, and at itself.

    f: what is judged, (B, n, …) -> (B, n, …); change(t): x with position t changed. Every tensor has the same
    shape, so right code gives the very same numbers before t. looks_back: and other ones after it, for who
    looks at nobody leaks nothing. Raises Wrong.
    """
    n = x.shape[1]
    before = _rows(f(x), x, check, what).double()
    unmoved: list[int] = []
    for t in range(n):
        after = check.finite(check.shape(f(change(t)), before.shape, what), what)
        difference = (after.double() - before).abs().flatten(2).amax(dim=(0, 2))  # (B, n, …) -> (n,)
        moved = [i for i in range(t) if float(difference[i]) > SHARE * max(1.0, float(before.abs().max()))]
        if moved:
            raise Wrong("leak.moved", fingerprint=fingerprint(after), what=what, changed=t, moved=list(moved))
        if float(difference[t]) == 0.0:
            unmoved.append(t)
        if looks_back and t < n - 1 and float(difference[t + 1 :].max()) == 0.0:
            raise Wrong("leak.nothing_seen", fingerprint=fingerprint(after), what=what, changed=t)
    if unmoved:
        raise Wrong("leak.own_token", fingerprint=fingerprint(before), what=what, positions=list(unmoved))


def sees_others(
    draw: SeededInputs, d: int, output: Callable[[dict[str, Tensor], Tensor, bool], object], check: Check
) -> None:
    """Does a token that is 0 itself get something from the others, by what c_attn makes of them?

    output: (weights of a module, x (B, n, d), causal) -> what that module gives. True of any attention, also
    of one with a wrong mask, scale or order of its parts, and of one that draws random numbers; of nothing
    else. Raises Wrong.
    """
    weights = {name: w if w.dim() == 2 else w * 0 for name, w in attention_weights(draw, d, std=0.3).items()}
    weights["c_attn.bias"][:d] = draw.normal(d)  # so that the token asks for something
    silent = {**weights, "c_attn.weight": torch.zeros(3 * d, d)}
    x = draw.normal(2, 5, d)
    x[0, 2] = 0.0
    for causal in (True, False):  # a wrong mask may leave no number at all
        whole, without, *again = (
            _output_in(output(w, x, causal), x, check).double() for w in (weights, *[silent] * SILENT)
        )
        found = (whole - without)[0, 2].abs()  # (B, n, d) -> (d,)
        if all(torch.equal(without, one) for one in again) and bool((found > SHARE).any()):
            return
    raise Wrong("attention.sees_nobody", fingerprint=None, position=2)


def _output_in(got: object, x: Tensor, check: Check) -> Tensor:
    """The first tensor of the shape of x, also where it came with more than was asked for."""
    parts = got if isinstance(got, tuple | list) else (got,)
    right = [p for p in parts if isinstance(p, Tensor) and p.shape == x.shape]
    return right[0] if right else check.shape(got, x.shape, "output")


def _rows(got: object, x: Tensor, check: Check, what: str) -> Tensor:
    """At least one number for each token of x (B, n, …)."""
    found = check.tensor(got, what)
    if found.numel() <= MOST:
        found = check.finite(found, what)
    if found.dim() < 3 or found.numel() > MOST or found.shape[:2] != x.shape[:2] or not found.numel():
        raise Wrong("shape.wrong", what=what, expected=[*x.shape[:2], "…"], got=list(found.shape))
    return found
