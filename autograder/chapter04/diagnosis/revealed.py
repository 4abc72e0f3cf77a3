"""A module's attention weights, worked back from its output: only where they are weights, and explain it.

The module is asked with values that say which token they are from, so its output holds the weights; if the
module does what attention does. It is then asked again with other values and another c_proj. Where weights
found with the first ones do not give the second output, they are no weights, and nothing is said of them.
"""

from __future__ import annotations

import torch
from torch import Tensor

from autograder.chapter04.diagnosis import public
from autograder.sandbox.api import Student

TOLERANCE = 1e-4


def output(student: Student, n: int, heads: int) -> Tensor | None:
    """The output (n, n * heads) for the revealing input; None when it is no such tensor."""
    x, state, _ = public.revealing(n, heads)
    return _ask(student, x, state, heads)


def weights(student: Student, n: int, heads: int) -> Tensor | None:
    """(heads, n, n): how much of each token each head takes for each query. NaN where the output is NaN."""
    first = output(student, n, heads)
    if first is None:
        return None
    found = first.view(n, heads, n).transpose(0, 1)  # (n, d) -> (heads, n, n)
    if bool(((found < -TOLERANCE) | (found > 1 + TOLERANCE)).any()) or _one_factor(found):
        return None
    x, state, _ = public.revealing(n, heads)
    other = public.other_values(state)
    second = _ask(student, x, other, heads)
    if second is None:
        return None
    exact = {name: value.double() for name, value in other.items()}
    v = x[0].double() @ exact["c_attn.weight"].chunk(3)[2].T  # (n, d)
    mixed = found @ v.view(n, heads, n).transpose(0, 1)  # (n, d) -> (heads, n, d_k)
    joined = mixed.transpose(0, 1).reshape(n, heads * n)  # (heads, n, d_k) -> (n, d)
    wanted = joined @ exact["c_proj.weight"].T + exact["c_proj.bias"]
    near = TOLERANCE * max(1.0, float(wanted.nan_to_num().abs().max()))
    return found if torch.allclose(second, wanted, rtol=0, atol=near, equal_nan=True) else None


def _ask(student: Student, x: Tensor, state: dict[str, Tensor], heads: int) -> Tensor | None:
    out = student.MultiHeadAttention(x.shape[2], heads, True, state_dict=state)(x)
    if not isinstance(out, Tensor) or out.shape != x.shape or not out.dtype.is_floating_point:
        return None
    return out[0].to(torch.float64)


def _one_factor(found: Tensor) -> bool:
    """Whether all rows have the same sum, other than 1: the weights were multiplied by it, or what came of
    them was; the numbers do not say which."""
    sums = found.sum(dim=-1)
    return bool(((sums - sums.mean()).abs() < TOLERANCE).all() and abs(float(sums.mean()) - 1) > TOLERANCE)
