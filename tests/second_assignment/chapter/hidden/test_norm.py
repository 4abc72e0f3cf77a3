"""Sheet 1: layer_norm and running_mean."""

from __future__ import annotations

import torch
from torch.nn import functional

from autograder.checks.check import Check, points
from autograder.checks.inputs import SeededInputs
from autograder.sandbox.api import Student


@points(5, exercise="layer_norm", side=True, concept="the shape stays")
def test_shape(student: Student, draw: SeededInputs, check: Check) -> None:
    got = student.layer_norm(draw.normal(2, 3, 8), torch.ones(8), torch.zeros(8))
    check.shape(got, (2, 3, 8))


@points(25, exercise="layer_norm", concept="every token has mean 0 and variance 1")
def test_values(student: Student, draw: SeededInputs, check: Check) -> None:
    for B, n, d in ((2, 3, 8), (1, 5, 4)):
        x, weight, bias = draw.normal(B, n, d), draw.normal(d), draw.normal(d)
        check.close(student.layer_norm(x, weight, bias), functional.layer_norm(x, (d,), weight, bias))


@points(10, exercise="layer_norm", concept="eps keeps small numbers small")
def test_eps(student: Student, draw: SeededInputs, check: Check) -> None:
    x = draw.normal(2, 3, 8, std=0.01)
    weight, bias = torch.ones(8), torch.zeros(8)
    check.close(student.layer_norm(x, weight, bias, 0.1), functional.layer_norm(x, (8,), weight, bias, 0.1))


@points(15, exercise="running_mean", concept="the mean of the first rows")
def test_first(student: Student, draw: SeededInputs, check: Check) -> None:
    x = draw.normal(4, 3)
    mean, _ = student.running_mean(x)
    check.close(mean, x.mean(dim=0))


@points(10, exercise="running_mean", concept="the state carries what came before")
def test_goes_on(student: Student, draw: SeededInputs, check: Check) -> None:
    x = draw.normal(6, 3)
    _, state = student.running_mean(x[:4])
    mean, _ = student.running_mean(x[4:], state)
    check.close(mean, x.mean(dim=0))
