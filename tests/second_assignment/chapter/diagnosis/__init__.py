"""How the mistakes in layer_norm are told apart."""

from __future__ import annotations

from functools import partial

import torch

from autograder.diagnosis.chapter import Example
from autograder.diagnosis.probe import Probe, asking, secret
from autograder.sandbox.api import Student

X = torch.tensor([[[1.0, 2.0, 3.0, 6.0], [0.0, 0.0, 4.0, 4.0]]])  # (1, 2, 4)


def probes(exercise: str, seed: str) -> list[Probe]:
    """Sizes all different, and one eps that can be seen."""
    if exercise != "layer_norm":
        return []
    found = []
    for name, (B, n, d, eps) in {"a": (2, 3, 8, 1e-5), "b": (3, 5, 4, 0.1)}.items():
        draw = secret(seed, f"layer_norm/{name}")
        found.append(asking(name, partial(_call, draw.normal(B, n, d), draw.normal(d), draw.normal(d), eps)))
    return found


def examples(exercise: str) -> list[Example]:
    """One token more, one number less: small enough to check by hand."""
    if exercise != "layer_norm":
        return []
    ask = partial(_call, X, torch.ones(4), torch.zeros(4), 1e-5)
    return [Example("layer_norm(x, torch.ones(4), torch.zeros(4))", ask, {"x": X})]


def _call(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float, student: Student
) -> torch.Tensor:
    got: torch.Tensor = student.layer_norm(x, weight, bias, eps)
    return got
