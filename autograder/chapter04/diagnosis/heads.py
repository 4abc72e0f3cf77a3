"""split_heads and merge_heads: coded inputs, several sizes, all different."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor

from autograder.diagnosis.observation import raises
from autograder.diagnosis.probe import Probe, asking, secret
from autograder.sandbox.api import Student

# name -> B, n, d_model, n_head
SIZES = {
    "a": (2, 7, 15, 3),
    "b": (3, 4, 10, 5),
    "one sentence": (1, 5, 6, 2),
    "one token": (2, 1, 6, 3),
    "one head": (2, 3, 4, 1),
    "GPT-2's": (1, 2, 768, 12),
}


def split(seed: str) -> list[Probe]:
    """(B, n, d_model), n_head -> (B, n_head, n, d_k)"""
    found = []
    for name, (B, n, d, h) in SIZES.items():
        x = secret(seed, f"split/{name}").coded(B, n, d)
        found.append(asking(name, partial(_call, "split_heads", (x, h))))
    x = secret(seed, "split/further").normal(2, 5, 12)
    uneven = secret(seed, "split/uneven").normal(2, 7, 10)
    found.append(Probe("uneven", "uneven", lambda s: raises(lambda: s.split_heads(uneven, 3))))
    return found + _further("split_heads", x, (4,), (2, 4, 5, 3))


def merge(seed: str) -> list[Probe]:
    """(B, n_head, n, d_k) -> (B, n, d_model)"""
    found = []
    for name, (B, n, d, h) in SIZES.items():
        coded = secret(seed, f"merge/{name}").coded(B, n, d)
        y = coded.reshape(B, h, n, d // h)  # any numbers that are all different
        found.append(asking(name, partial(_call, "merge_heads", (y,))))
    return found + _further("merge_heads", secret(seed, "merge/further").normal(2, 3, 5, 4), (), (2, 5, 12))


def _call(symbol: str, args: tuple[Any, ...], student: Student) -> Any:
    return getattr(student, symbol)(*args)


def _further(symbol: str, x: Tensor, rest: tuple[Any, ...], shape: tuple[int, ...]) -> list[Probe]:
    """Other dtypes, the input afterwards, the gradient."""
    cotangent = torch.arange(x.numel(), dtype=x.dtype).reshape(shape)  # of the result's shape
    found = [
        asking(str(dtype), partial(_call, symbol, (x.to(dtype), *rest)), "dtype")
        for dtype in (torch.float64, torch.bfloat16)
    ]

    def gradient(student: Student) -> Any:
        return student.gradient(symbol, (x, *rest), cotangent=cotangent)

    found.append(asking("echo", lambda s: s.echo(symbol, x, *rest)[1][0], "input"))
    found.append(asking("gradient", gradient, "gradient"))
    return found
