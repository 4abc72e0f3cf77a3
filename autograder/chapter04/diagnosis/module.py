"""concat_and_project and MultiHeadAttention: random weights and biases large enough to show."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from autograder.diagnosis.probe import Probe, asking, on_meta, secret, steady
from autograder.sandbox.api import Student

from ..inputs import attention_weights

SIZES = {"a": (2, 7, 15, 3), "b": (3, 5, 8, 2), "one sentence": (1, 6, 12, 4), "one token": (2, 1, 6, 3)}


def concat(seed: str) -> list[Probe]:
    """(B, n_head, n, d_k), c_proj -> (B, n, d_model)"""

    def call(y: Tensor, c_proj: nn.Module, student: Student) -> Any:
        return student.concat_and_project(y, c_proj)

    found = []
    for name, (B, n, d, h) in SIZES.items():
        draw = secret(seed, f"concat/{name}")
        y = draw.normal(B, h, n, d // h)
        found.append(steady(name, partial(call, y, draw.linear(d, d))))
    draw = secret(seed, "concat/echo")
    y, c_proj = draw.normal(2, 3, 5, 4), draw.linear(12, 12)
    found.append(asking("echo", lambda s: s.echo("concat_and_project", y, c_proj)[1][0], "input"))
    cotangent = draw.normal(2, 5, 12)
    found.append(
        asking(
            "gradient",
            lambda s: s.gradient("concat_and_project", (y, c_proj), cotangent=cotangent),
            "gradient",
        )
    )
    return found


def whole(seed: str) -> list[Probe]:
    """(B, n, d_model) -> (B, n, d_model)"""

    def forward(
        sizes: tuple[int, int, int, int],
        causal: bool,
        weights: dict[str, Tensor],
        x: Tensor,
        student: Student,
    ) -> Any:
        module = student.MultiHeadAttention(sizes[2], sizes[3], causal, state_dict=weights, dtype=x.dtype)
        return module(x)

    found: list[Probe] = []
    for name, (B, n, d, h) in SIZES.items():
        for kind, causal in (("causal", True), ("open", False)):
            draw = secret(seed, f"module/{name}/{kind}")
            weights, x = attention_weights(draw, d), draw.normal(B, n, d)
            found.append(steady(f"{kind} {name}", partial(forward, (B, n, d, h), causal, weights, x)))
    draw = secret(seed, "module/further")
    sizes, weights, x = (2, 5, 12, 3), attention_weights(draw, 12), draw.normal(2, 5, 12)
    mute = {**weights, "c_proj.weight": torch.zeros(12, 12)}  # now the output must equal the bias
    loud = {**weights, "c_attn.weight": weights["c_attn.weight"] * 20}
    wide = {k: v.double() for k, v in weights.items()}
    found += [
        steady("no c_proj", partial(forward, sizes, True, mute, x)),
        asking("huge scores", partial(forward, sizes, True, loud, x), "huge"),
        asking("float64", partial(forward, sizes, True, wide, x.double()), "dtype"),
    ]

    def echo(student: Student) -> Any:
        module = student.MultiHeadAttention(12, 3, True, state_dict=weights)
        return student.echo_module(module, x)[1]

    cotangent = draw.normal(2, 5, 12)

    def gradient(student: Student) -> Any:
        module = student.MultiHeadAttention(12, 3, True, state_dict=weights)
        return student.gradient(module, (x,), cotangent=cotangent)

    def elsewhere(student: Student) -> Any:
        return student.MultiHeadAttention(12, 3, True, device="meta")(torch.empty(2, 5, 12, device="meta"))

    found += [asking("echo", echo, "input"), asking("gradient", gradient, "gradient")]
    return [*found, on_meta(elsewhere, 2, 5, 12)]
