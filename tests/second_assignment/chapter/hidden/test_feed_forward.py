"""Sheet 2: FeedForward."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional

from autograder.checks.check import Check, points
from autograder.checks.inputs import SeededInputs
from autograder.sandbox.api import Student


@points(35, exercise="block", concept="norm, wide layer, GELU, back, and what came in on top")
def test_whole(student: Student, draw: SeededInputs, check: Check) -> None:
    d = 6
    state = {
        "weight": draw.normal(d), "bias": draw.normal(d),
        "fc_in.weight": draw.normal(4 * d, d), "fc_in.bias": draw.normal(4 * d),
        "fc_out.weight": draw.normal(d, 4 * d), "fc_out.bias": draw.normal(d),
    }  # fmt: skip
    x = draw.normal(2, 3, d)
    check.close(student.FeedForward(d, state_dict=state)(x), _right(x, state))


def _right(x: Tensor, state: dict[str, Tensor]) -> Tensor:
    normed = functional.layer_norm(x, x.shape[-1:], state["weight"], state["bias"])
    wide = functional.gelu(functional.linear(normed, state["fc_in.weight"], state["fc_in.bias"]))
    return x + functional.linear(wide, state["fc_out.weight"], state["fc_out.bias"])
