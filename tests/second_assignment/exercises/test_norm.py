"""Public tests of norm.py."""

import torch

from exercises.selfcheck.inputs import KINDS, wave


def test_each_token_by_itself(layer_norm, check):
    x = torch.tensor([[[1.0, 2, 3, 6], [0, 0, 4, 4]]])  # means 3 and 2, variances 3.5 and 4
    root = 3.5**0.5
    expected = [[[-2 / root, -1 / root, 0, 3 / root], [-1, -1, 1, 1]]]
    check.same(layer_norm(x, torch.ones(4), torch.zeros(4)), expected, "batch token number")


def test_weight_and_bias_of_each_number(layer_norm, check):
    x = torch.tensor([[[0.0, 0, 4, 4]]])
    weight, bias = torch.tensor([1.0, 2, 3, 4]), torch.tensor([0.0, 10, 20, 30])
    check.same(layer_norm(x, weight, bias), [[[-1, 8, 23, 34]]], "batch token number")


def test_eps_stands_under_the_root(layer_norm, check):
    x = torch.tensor([[[-1.0, 1.0]]])
    check.same(layer_norm(x, torch.ones(2), torch.zeros(2), 3.0), [[[-0.5, 0.5]]], "batch token number")


def test_the_kind_of_number_stays(layer_norm, check):
    for kind in KINDS:
        got = layer_norm(wave(1, 2, 4).to(kind), torch.ones(4).to(kind), torch.zeros(4).to(kind))
        check.dtype(got, kind)


def test_the_input_stays_as_it_is(layer_norm, check):
    x = wave(1, 2, 4)
    layer_norm(x, torch.ones(4), torch.zeros(4))
    check.unchanged("x", x, wave(1, 2, 4))


def test_training_reaches_everything(layer_norm, check):
    x, weight, bias = wave(1, 2, 4), wave(4, start=50), wave(4, start=60)
    check.gradient(lambda: layer_norm(x, weight, bias), x=x, weight=weight, bias=bias)


def test_the_mean_of_the_first_rows(running_mean, check):
    mean, _ = running_mean(torch.tensor([[1.0, 10], [3, 30]]))
    check.same(mean, [2, 20], "number")


def test_the_mean_goes_on(running_mean, check):
    _, state = running_mean(torch.tensor([[1.0, 10], [3, 30]]))
    mean, state = running_mean(torch.tensor([[5.0, 50]]), state)
    check.same(mean, [3, 30], "number")
    mean, _ = running_mean(torch.tensor([[7.0, 70]]), state)
    check.same(mean, [4, 40], "number")
