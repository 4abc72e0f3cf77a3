"""Does a later token reach an earlier position? Shared by the module's tests and GPT-2's."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from autograder.hidden.kit import Check, Wrong, fingerprint

MOST = 1 << 20  # numbers: ten sentences' logits of a real GPT-2, and no more to be compared again and again
SHARE = 1e-6  # of the largest output: rounding in odd but right code (renormalised weights) stays below


def no_leak(
    f: Callable[[Tensor], Tensor], x: Tensor, change: Callable[[int], Tensor], check: Check, what: str
) -> None:
    """Changes every position in turn and looks at all positions before it, and at itself.

    f: what is judged, (B, n, …) -> (B, n, …); change(t): x with position t changed. Every tensor has the same
    shape, so right code gives the very same numbers before t. Raises Wrong.
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
    if unmoved:
        raise Wrong("leak.own_token", fingerprint=fingerprint(before), what=what, positions=list(unmoved))


def _rows(got: object, x: Tensor, check: Check, what: str) -> Tensor:
    """At least one number for each token of x (B, n, …)."""
    found = check.tensor(got, what)
    if found.numel() <= MOST:
        found = check.finite(found, what)
    if found.dim() < 3 or found.numel() > MOST or found.shape[:2] != x.shape[:2] or not found.numel():
        raise Wrong("shape.wrong", what=what, expected=[*x.shape[:2], "…"], got=list(found.shape))
    return found
