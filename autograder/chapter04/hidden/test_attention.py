"""Sheet 3: concat_and_project and MultiHeadAttention."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from autograder.chapter04.hidden import expected
from autograder.chapter04.hidden.leak import SHARE, no_leak, sees_others
from autograder.checks.check import Check, Wrong, fingerprint, points
from autograder.checks.inputs import SeededInputs
from autograder.sandbox.api import ModuleRef, Student

from ..inputs import attention_weights

H, D_K = 3, 5
D = H * D_K


@points(1, exercise="concat_and_project", side=True, concept="the heads become one vector per token again")
def test_concat_shape(student: Student, draw: SeededInputs, check: Check) -> None:
    got = student.concat_and_project(draw.normal(2, H, 7, D_K), draw.linear(D, D))
    check.shape(got, (2, 7, D))


@points(3, exercise="concat_and_project", concept="slices side by side, then mixed by c_proj")
def test_concat_then_project(student: Student, draw: SeededInputs, check: Check) -> None:
    for B, h, n, d_k in ((2, 3, 7, 5), (1, 2, 4, 6)):
        y, c_proj = draw.normal(B, h, n, d_k), draw.linear(h * d_k, h * d_k)
        check.close(student.concat_and_project(y, c_proj), _project(y, c_proj))


@points(1, exercise="concat_and_project", side=True, concept="c_proj's bias belongs to it")
def test_projection_has_a_bias(student: Student, draw: SeededInputs, check: Check) -> None:
    c_proj = draw.linear(D, D, std=0.0, bias=1.0)  # the heads do not count at all: only the bias is left
    y = draw.normal(2, H, 4, D_K)
    check.close(student.concat_and_project(y, c_proj), _project(y, c_proj))


@points(1, exercise="concat_and_project", concept="joining works for any size and kind of number")
def test_concat_smallest_sizes_and_dtypes(student: Student, draw: SeededInputs, check: Check) -> None:
    for B, h, n, d_k in ((2, 3, 1, 5), (2, 1, 7, 5), (1, 5, 3, 1)):
        y, c_proj = draw.normal(B, h, n, d_k), draw.linear(h * d_k, h * d_k)
        check.close(student.concat_and_project(y, c_proj), _project(y, c_proj))
    for dtype in (torch.float64, torch.bfloat16):
        y, c_proj = draw.normal(2, H, 4, D_K, dtype=dtype), draw.linear(D, D).to(dtype)
        got = check.dtype(student.concat_and_project(y, c_proj), dtype)
        check.close(got, _project(y, c_proj))


@points(1, exercise="concat_and_project", side=True, concept="the heads' results are left as they were")
def test_concat_leaves_its_input_alone(student: Student, draw: SeededInputs, check: Check) -> None:
    y = draw.normal(2, H, 4, D_K)
    got, after = student.echo("concat_and_project", y, draw.linear(D, D))
    check.unchanged(after[0], y, "y")
    check.shape(got, (2, 4, D))


@points(1, exercise="concat_and_project", concept="training reaches through the projection")
def test_concat_gradient(student: Student, draw: SeededInputs, check: Check) -> None:
    y, c_proj, cotangent = draw.normal(2, H, 4, D_K), draw.linear(D, D), draw.normal(2, 4, D)
    with torch.no_grad():
        wanted = expected.split(cotangent @ c_proj.weight, H)
    got = student.gradient("concat_and_project", (y, c_proj), wrt=0, cotangent=cotangent)
    check.close(got, wanted, "gradient")


@points(0, exercise="concat_and_project", concept="what the heads found goes through c_proj")
def test_heads_go_through_the_projection(student: Student, draw: SeededInputs, check: Check) -> None:
    one, two = draw.normal(2, H, 4, D_K), draw.normal(2, H, 4, D_K)
    for c_proj, same in ((draw.linear(D, D, std=0.0, bias=0.0), True), (draw.linear(D, D), False)):
        got = [check.finite(student.concat_and_project(y, c_proj)) for y in (one, two)]
        if torch.equal(*got) is not same:
            raise Wrong("concat.not_projected", fingerprint=fingerprint(got[0]))


@points(0, exercise="concat_and_project", side=True, concept="joining works on any device")
def test_concat_device(student: Student, check: Check) -> None:
    y, c_proj = torch.empty(2, H, 7, D_K, device="meta"), nn.Linear(D, D, device="meta")
    check.shape(student.concat_and_project(y, c_proj), (2, 7, D), device="meta")


@points(1, exercise="MultiHeadAttention", side=True, concept="out comes what went in: one vector per token")
def test_attention_shape(student: Student, draw: SeededInputs, check: Check) -> None:
    attention = _attention(student, attention_weights(draw, D))
    for B, n in ((2, 7), (4, 2)):
        check.shape(attention(draw.normal(B, n, D)), (B, n, D))


@points(
    3, exercise="MultiHeadAttention", concept="all steps of the attention together give the right numbers"
)
def test_attention_values(student: Student, draw: SeededInputs, check: Check) -> None:
    for B, n, h, d_k in ((2, 7, 3, 5), (3, 4, 2, 6)):
        _same(student, attention_weights(draw, h * d_k, std=0.3), h, draw.normal(B, n, h * d_k), check)


@points(1, exercise="MultiHeadAttention", concept="the last third of c_attn is V")
def test_the_last_third_is_v(student: Student, draw: SeededInputs, check: Check) -> None:
    weights = attention_weights(draw, D, std=0.3)
    weights["c_attn.weight"][2 * D :] = 0.0  # every token's V is now the same, the bias:
    x = draw.normal(2, 5, D)  # whoever looks at whom, the mean of equal vectors is that vector
    _same(student, weights, H, x, check)
    weights["c_attn.weight"][: 2 * D] = 0.0  # and with Q and K the same for all, every score is equal
    weights["c_attn.weight"][2 * D :] = draw.normal(D, D, std=0.3)
    _same(student, weights, H, x, check)


@points(2, exercise="MultiHeadAttention", concept="scores are divided by the square root of d_k")
def test_scale_of_the_scores(student: Student, draw: SeededInputs, check: Check) -> None:
    for h, d_k in ((2, 16), (4, 3), (6, 1)):
        _same(student, attention_weights(draw, h * d_k, std=0.5), h, draw.normal(2, 5, h * d_k), check)


@points(1, exercise="MultiHeadAttention", concept="both layers use their biases")
def test_biases_count(student: Student, draw: SeededInputs, check: Check) -> None:
    x = draw.normal(2, 5, D)
    _same(student, attention_weights(draw, D, std=0.05, bias=1.0), H, x, check)
    silent = attention_weights(draw, D, bias=1.0)
    silent["c_proj.weight"] = torch.zeros(D, D)  # no head comes through: only c_proj's bias is left
    _same(student, silent, H, x, check)


@points(2, exercise="MultiHeadAttention", side=True, concept="no token is moved by a later one")
def test_no_token_is_moved_by_a_later_one(student: Student, draw: SeededInputs, check: Check) -> None:
    attention = _attention(student, attention_weights(draw, D, std=0.3))
    x = draw.normal(2, 6, D)
    no_leak(attention, x, lambda t: _with(x, t, draw.normal(2, D)), check, "output")


@points(
    1, exercise="MultiHeadAttention", side=True, concept="no gradient flows back from the past to the future"
)
def test_no_gradient_from_the_future(student: Student, draw: SeededInputs, check: Check) -> None:
    n = 5
    attention = _attention(student, attention_weights(draw, D, std=0.3))
    x = draw.normal(1, n, D)
    for i in range(n):
        cotangent = torch.zeros(1, n, D)
        cotangent[:, i] = draw.normal(1, D)  # only output i is asked
        got = student.gradient(attention, (x,), wrt=0, cotangent=cotangent)
        got = check.finite(check.shape(got, (1, n, D), "gradient"), "gradient")
        reached = got.double().abs().amax(dim=(0, 2))  # (1, n, D) -> (n,)
        late = [t for t in range(i + 1, n) if float(reached[t]) > SHARE * max(1.0, float(reached.max()))]
        if late:
            raise Wrong("leak.gradient", fingerprint=fingerprint(got), position=i, reached=list(late))
        if float(reached[i]) == 0.0:
            raise Wrong("gradient.none", what="x", position=i)


@points(1, exercise="MultiHeadAttention", concept="causal=False sees the whole sentence")
def test_without_causal_all_tokens_are_seen(student: Student, draw: SeededInputs, check: Check) -> None:
    _same(student, attention_weights(draw, D, std=0.3), H, draw.normal(2, 7, D), check, causal=False)


@points(
    1, exercise="MultiHeadAttention", side=True, concept="the same sentence always gives the same numbers"
)
def test_same_input_same_output(student: Student, draw: SeededInputs, check: Check) -> None:
    attention = _attention(student, attention_weights(draw, D, std=0.3))
    x = draw.normal(3, 5, D)
    first = check.finite(check.shape(attention(x), (3, 5, D)))
    attention(draw.normal(2, 7, D))
    if not torch.equal(check.shape(attention(x), (3, 5, D)), first):
        raise Wrong("calls.differ", what="output")
    for b in range(3):
        check.close(attention(x[b : b + 1]), first[b : b + 1])


@points(1, exercise="MultiHeadAttention", concept="one token, one head and one sentence work too")
def test_attention_smallest_sizes(student: Student, draw: SeededInputs, check: Check) -> None:
    for B, n, h, d_k in ((2, 1, 3, 5), (2, 7, 1, 5), (1, 4, 12, 4)):
        _same(student, attention_weights(draw, h * d_k, std=0.3), h, draw.normal(B, n, h * d_k), check)


@points(1, exercise="MultiHeadAttention", concept="double and half precision work too")
def test_attention_dtypes(student: Student, draw: SeededInputs, check: Check) -> None:
    for dtype in (torch.float64, torch.bfloat16):
        weights = attention_weights(draw, D, dtype=dtype)
        attention = _attention(student, weights)
        x = draw.normal(2, 5, D, dtype=dtype)
        check.close(check.dtype(attention(x), dtype), expected.attention(weights, H)(x))


@points(1, exercise="MultiHeadAttention", side=True, concept="the sentence is left as it was")
def test_attention_leaves_its_input_alone(student: Student, draw: SeededInputs, check: Check) -> None:
    attention = _attention(student, attention_weights(draw, D))
    x = draw.normal(2, 5, D)
    got, after = student.echo_module(attention, x)
    check.unchanged(after, x, "x")
    check.shape(got, (2, 5, D))


@points(1, exercise="MultiHeadAttention", concept="training reaches every weight and bias")
def test_training_reaches_every_weight(student: Student, draw: SeededInputs, check: Check) -> None:
    weights = attention_weights(draw, D, std=0.3)
    x, cotangent = draw.normal(2, 5, D), draw.normal(2, 5, D)
    got = student.module_gradient(_attention(student, weights), x, cotangent)
    right = expected.attention(weights, H).requires_grad_()
    with torch.enable_grad():
        (right(x) * cotangent).sum().backward()
    for name, parameter in right.named_parameters():
        if name not in got:
            raise Wrong("gradient.none", what=name, position=None)
        assert parameter.grad is not None
        check.close(got[name], parameter.grad, f"gradient of {name}")


@points(0, exercise="MultiHeadAttention", concept="a token gets something from the tokens around it")
def test_a_token_gets_something_from_others(student: Student, draw: SeededInputs, check: Check) -> None:
    sees_others(draw, D, lambda weights, x, causal: _attention(student, weights, H, causal)(x), check)


@points(0, exercise="MultiHeadAttention", side=True, concept="the module works on any device")
def test_attention_device(student: Student, check: Check) -> None:
    attention = student.MultiHeadAttention(d_model=D, n_head=H, causal=True, device="meta")
    check.shape(attention(torch.empty(2, 7, D, device="meta")), (2, 7, D), device="meta")


def _project(y: Tensor, c_proj: nn.Linear) -> Tensor:
    with torch.no_grad():
        projected: Tensor = c_proj(expected.merge(y))
    return projected


def _attention(
    student: Student, weights: dict[str, Tensor], n_head: int = H, causal: bool = True
) -> ModuleRef:
    weight = weights["c_attn.weight"]
    module: ModuleRef = student.MultiHeadAttention(
        d_model=weight.shape[1], n_head=n_head, causal=causal, state_dict=weights, dtype=weight.dtype
    )
    return module


def _same(
    student: Student, weights: dict[str, Tensor], n_head: int, x: Tensor, check: Check, *, causal: bool = True
) -> None:
    """Does the student's module give what the reference gives with the same weights?"""
    got = _attention(student, weights, n_head, causal)(x)
    check.close(got, expected.attention(weights, n_head, causal)(x))


def _with(x: Tensor, t: int, token: Tensor) -> Tensor:
    """x (B, n, d) with another token (B, d) at position t."""
    changed = x.clone()
    changed[:, t] = token
    return changed
