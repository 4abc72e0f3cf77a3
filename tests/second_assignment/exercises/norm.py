"""Sheet 1: numbers of one token brought to mean 0 and variance 1."""

from torch import Tensor


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    """Every token on its own: mean 0 and variance 1, then weight and bias.

    x (B, n, d), weight (d,), bias (d,) -> (B, n, d)
    """
    raise NotImplementedError("layer_norm")


def running_mean(x: Tensor, state: tuple[Tensor, int] | None = None) -> tuple[Tensor, tuple[Tensor, int]]:
    """The mean of all rows so far: x (n, d) -> ((d,), the state to go on with)."""
    raise NotImplementedError("running_mean")
