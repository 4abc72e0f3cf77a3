"""Sheet 2: causal_mask and causal_softmax."""

from __future__ import annotations

import torch
from torch import Tensor

from autograder.chapter04.hidden import expected
from autograder.checks.check import Check, Wrong, fingerprint, points
from autograder.checks.inputs import SeededInputs
from autograder.sandbox.api import Student

BARELY = 1e-6  # a weight that is rounding, not looking: renormalising after the softmax moves 2e-7


@points(1, exercise="causal_mask", side=True, concept="the mask is true or false for each query and key")
def test_mask_is_bool(student: Student, check: Check) -> None:
    check.dtype(check.shape(student.causal_mask(5), (5, 5)), torch.bool)
    check.dtype(check.shape(student.causal_mask(2, 5), (2, 5)), torch.bool)


@points(4, exercise="causal_mask", concept="exactly the future is forbidden")
def test_exactly_the_future_is_forbidden(student: Student, check: Check) -> None:
    for n in (2, 3, 5, 8):
        check.equal(student.causal_mask(n), expected.future(n, n))


@points(1, exercise="causal_mask", side=True, concept="a token may look at itself")
def test_a_token_may_look_at_itself(student: Student, check: Check) -> None:
    mask = check.shape(student.causal_mask(6), (6, 6)).to(torch.bool)
    forbidden = [i for i in range(6) if bool(mask[i, i])]
    if forbidden:
        raise Wrong("mask.itself_forbidden", fingerprint=fingerprint(mask), queries=list(forbidden))
    if not bool(mask.any()):
        raise Wrong("mask.nothing_forbidden", n_query=6, n_key=6)


@points(3, exercise="causal_mask", concept="with more keys than queries, the queries are the last positions")
def test_queries_are_the_last_positions(student: Student, check: Check) -> None:
    for n_query, n_key in ((3, 5), (2, 7), (4, 5), (5, 5)):
        check.equal(student.causal_mask(n_query, n_key), expected.future(n_query, n_key))


@points(1, exercise="causal_mask", side=True, concept="a single new token may look at everything before it")
def test_one_query_sees_everything(student: Student, check: Check) -> None:
    for n_key in (1, 2, 6):
        check.equal(student.causal_mask(1, n_key), expected.future(1, n_key))
    check.equal(student.causal_mask(1), expected.future(1, 1))


@points(0, exercise="causal_mask", concept="what is forbidden depends on how far a key is from the query")
def test_the_mask_depends_on_the_distance(student: Student, check: Check) -> None:
    got = check.tensor(student.causal_mask(6))
    if got.dim() < 2 or tuple(got.shape[-2:]) != (6, 6) or got.numel() != 36:
        raise Wrong("shape.wrong", what="result", expected=[6, 6], got=list(got.shape))
    mask = got.reshape(6, 6).to(torch.bool)  # numbers, and axes of one in front, are an attempt as well
    by_distance = torch.equal(mask[1:, 1:], mask[:-1, :-1])
    if not by_distance or torch.equal(mask, mask.T):
        raise Wrong("mask.no_direction", fingerprint=fingerprint(mask))


@points(0, exercise="causal_mask", side=True, concept="the mask is made on the device asked for")
def test_mask_device(student: Student, check: Check) -> None:
    check.shape(student.causal_mask(3, 4, device="meta"), (3, 4), device="meta")


@points(
    1, exercise="causal_softmax", side=True, concept="one weight for each score, of the same kind of number"
)
def test_weights_shape_and_dtype(student: Student, draw: SeededInputs, check: Check) -> None:
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        scores = draw.normal(2, 3, 7, 7, std=2.0, dtype=dtype)
        got = check.shape(student.causal_softmax(scores), (2, 3, 7, 7), "weights")
        check.finite(check.dtype(got, dtype, "weights"), "weights")


@points(1, exercise="causal_softmax", side=True, concept="each row of weights sums to 1")
def test_rows_sum_to_one(student: Student, draw: SeededInputs, check: Check) -> None:
    for shape in ((2, 3, 7, 7), (1, 2, 3, 6)):
        got = check.shape(student.causal_softmax(draw.normal(*shape, std=2.0)), shape, "weights")
        got = check.finite(got, "weights")
        sums = got.to(torch.float64).sum(-1)  # (..., n_query, n_key) -> (..., n_query)
        off = (sums - 1).abs() > 1e-5
        if bool(off.any()) or bool((got < 0).any()):
            rows = [i for i in range(shape[-2]) if bool(off[..., i].any())]
            raise Wrong("weights.sums", fingerprint=fingerprint(got), rows=list(rows))


@points(2, exercise="causal_softmax", side=True, concept="the future gets exactly 0")
def test_the_future_gets_exactly_zero(student: Student, draw: SeededInputs, check: Check) -> None:
    scores = draw.normal(2, 3, 7, 7, std=2.0)
    _no_future(student.causal_softmax(scores), scores, check)


@points(3, exercise="causal_softmax", concept="the past shares the weight as the softmax says")
def test_weights_of_the_past(student: Student, draw: SeededInputs, check: Check) -> None:
    for shape in ((2, 3, 7, 7), (3, 1, 4, 4), (1, 1, 1, 1)):
        scores = draw.normal(*shape, std=2.0)
        check.close(student.causal_softmax(scores), expected.weights(scores), "weights")


@points(1, exercise="causal_softmax", concept="only the last two axes are queries and keys")
def test_any_axes_in_front(student: Student, draw: SeededInputs, check: Check) -> None:
    for shape in ((5, 5), (4, 5, 5), (2, 3, 2, 4, 4)):
        scores = draw.normal(*shape, std=2.0)
        check.close(student.causal_softmax(scores), expected.weights(scores), "weights")


@points(1, exercise="causal_softmax", side=True, concept="a score in the future moves no weight")
def test_future_scores_move_nothing(student: Student, draw: SeededInputs, check: Check) -> None:
    n = 6
    scores = draw.normal(1, 2, n, n, std=2.0)
    before = check.finite(check.shape(student.causal_softmax(scores), scores.shape, "weights"), "weights")
    for t in range(1, n):
        changed = scores.clone()
        changed[..., :t, t] += draw.normal(1, 2, t, std=3.0)  # what the earlier queries would see of token t
        after = check.finite(check.shape(student.causal_softmax(changed), scores.shape, "weights"), "weights")
        difference = (after.double() - before.double()).abs()
        moved = difference.amax(dim=(0, 1, 3)) > BARELY  # (1, 2, n, n) -> (n,)
        if bool(moved.any()):
            raise Wrong(
                "leak.moved",
                fingerprint=fingerprint(after),
                what="weights",
                changed=t,
                moved=[i for i in range(n) if bool(moved[i])],
            )


@points(2, exercise="causal_softmax", concept="new tokens after old ones: the mask begins at their place")
def test_more_keys_than_queries(student: Student, draw: SeededInputs, check: Check) -> None:
    for n_query, n_key in ((3, 8), (1, 5), (5, 6)):
        scores = draw.normal(2, 3, n_query, n_key, std=2.0)
        check.close(student.causal_softmax(scores), expected.weights(scores), "weights")


@points(1, exercise="causal_softmax", concept="causal=False forbids nothing")
def test_without_causal_everything_is_seen(student: Student, draw: SeededInputs, check: Check) -> None:
    for shape in ((2, 3, 7, 7), (2, 3, 4, 6)):
        scores = draw.normal(*shape, std=2.0)
        check.close(student.causal_softmax(scores, causal=False), scores.softmax(dim=-1), "weights")


@points(1, exercise="causal_softmax", concept="large scores do not bring the future back")
def test_large_scores(student: Student, draw: SeededInputs, check: Check) -> None:
    scores = draw.normal(2, 3, 7, 7, std=8.0).clamp(-30, 30)
    scores[..., expected.future(7, 7)] = 40.0  # the future shouts, the past whispers
    scores[..., 0] = -20.0
    got = _no_future(student.causal_softmax(scores), scores, check)
    check.close(got, expected.weights(scores), "weights")


@points(1, exercise="causal_softmax", concept="training reaches through the weights")
def test_softmax_gradient(student: Student, draw: SeededInputs, check: Check) -> None:
    scores, cotangent = draw.normal(2, 3, 5, 5, std=2.0), draw.normal(2, 3, 5, 5)
    with torch.enable_grad():
        inner = scores.clone().requires_grad_()
        # A scalar, as torch imports sympy for anything else: seconds at the start of every judge.
        (right,) = torch.autograd.grad((expected.weights(inner) * cotangent).sum(), inner)
    check.close(student.gradient("causal_softmax", (scores,), wrt=0, cotangent=cotangent), right, "gradient")


@points(1, exercise="causal_softmax", side=True, concept="the scores are left as they were")
def test_softmax_leaves_scores_alone(student: Student, draw: SeededInputs, check: Check) -> None:
    scores = draw.normal(2, 3, 5, 5, std=2.0)
    got, after = student.echo("causal_softmax", scores)
    check.unchanged(after[0], scores, "scores")
    check.shape(got, (2, 3, 5, 5), "weights")


@points(0, exercise="causal_softmax", concept="even huge scores give numbers")
def test_huge_scores(student: Student, draw: SeededInputs, check: Check) -> None:
    scores = draw.normal(2, 3, 7, 7, std=300.0)
    check.close(student.causal_softmax(scores), expected.weights(scores), "weights")


@points(0, exercise="causal_softmax", concept="weights come from the scores")
def test_weights_come_from_the_scores(student: Student, draw: SeededInputs, check: Check) -> None:
    scores = draw.normal(2, 3, 5, 5, std=2.0)
    other = scores.clone()
    other[0, 0, 3, 1] += 1.5  # which query 3 may see
    first, again, moved = (_weights(student, s, check) for s in (scores, scores, other))
    follow = torch.equal(first, again) and not torch.equal(first[0, 0, 3], moved[0, 0, 3])
    if not follow and not all(_peak(student, scores, key, check) for key in (1, 2)):
        raise Wrong("weights.not_from_scores", fingerprint=fingerprint(first))
    ratio = first / scores.double()
    as_they_are = bool(((ratio - ratio.mean()).abs() <= 1e-6 * ratio.mean().abs()).all())
    if as_they_are or torch.equal(first, scores.mT.double()):
        raise Wrong("weights.are_scores", fingerprint=fingerprint(first))


def _weights(student: Student, scores: Tensor, check: Check) -> Tensor:
    return check.shape(student.causal_softmax(scores), scores.shape, "weights").double().nan_to_num()


def _peak(student: Student, scores: Tensor, key: int, check: Check) -> bool:
    """Whether the last query looks at the key whose score is far above all others: so does all that is like a
    softmax, also one that draws random numbers."""
    loud = scores.clone()
    loud[..., -1, :], loud[..., -1, key] = -20.0, 20.0
    last = _weights(student, loud, check)[..., -1, :].abs()  # (2, 3, n)
    others = last.clone()
    others[..., key] = 0.0
    return bool((last[..., key] > 0).any()) and float(others.max()) < BARELY


@points(0, exercise="causal_softmax", side=True, concept="the mask is made where the scores are")
def test_softmax_device(student: Student, check: Check) -> None:
    got = student.causal_softmax(torch.empty(2, 3, 7, 7, device="meta"))
    check.shape(got, (2, 3, 7, 7), "weights", device="meta")


def _no_future(got: object, scores: Tensor, check: Check) -> Tensor:
    """Are the weights of the future exactly 0?"""
    found = check.finite(check.shape(got, scores.shape, "weights"), "weights")
    seen = (found != 0) & expected.future(*scores.shape[-2:])
    if bool(seen.any()):
        at = [int(i) for i in seen.nonzero()[0]]
        raise Wrong(
            "weights.future",
            fingerprint=fingerprint(found),
            wrong=int(seen.sum()),
            query=at[-2],
            key=at[-1],
        )
    return found
