"""Sheet 1: split_heads and merge_heads. Every number is a label, so each has one right place."""

from __future__ import annotations

import torch
from torch import Tensor

from autograder.chapter04.hidden import expected
from autograder.checks.check import Check, Wrong, fingerprint, points
from autograder.checks.inputs import SeededInputs
from autograder.sandbox.api import Student
from autograder.sandbox.errors import NotWritten, StudentRaised

DTYPES = (torch.float32, torch.float64, torch.bfloat16)


@points(0.5, exercise="split_heads", side=True, concept="every head gets n tokens of d_k numbers")
def test_split_shape(student: Student, draw: SeededInputs, check: Check) -> None:
    for B, n, h, d_k in ((2, 7, 3, 5), (5, 2, 4, 3)):
        check.shape(student.split_heads(draw.normal(B, n, h * d_k), h), (B, h, n, d_k))


@points(5, exercise="split_heads", concept="each head reads its own slice of every token")
def test_each_head_reads_its_own_slice(student: Student, draw: SeededInputs, check: Check) -> None:
    for B, n, h, d_k in ((2, 7, 3, 5), (1, 4, 5, 2)):
        x = draw.coded(B, n, h * d_k)
        check.equal(student.split_heads(x, h), expected.split(x, h))


@points(1, exercise="split_heads", concept="the sentences of a batch stay apart when split")
def test_split_each_sentence_alone(student: Student, draw: SeededInputs, check: Check) -> None:
    x = draw.coded(3, 5, 8)
    together = check.shape(student.split_heads(x, 2), (3, 2, 5, 4))
    for b in range(3):
        check.equal(student.split_heads(x[b : b + 1], 2), together[b : b + 1])
        check.equal(together[b : b + 1], expected.split(x[b : b + 1], 2))


@points(1, exercise="split_heads", concept="one token, one head and one number per head work too")
def test_split_smallest_sizes(student: Student, draw: SeededInputs, check: Check) -> None:
    for B, n, h, d_k in ((2, 1, 3, 5), (2, 7, 1, 5), (2, 7, 5, 1), (1, 1, 1, 1)):
        x = draw.coded(B, n, h * d_k)
        check.equal(student.split_heads(x, h), expected.split(x, h))


@points(1, exercise="split_heads", concept="the sizes come from x and n_head, whatever they are")
def test_split_other_sizes(student: Student, draw: SeededInputs, check: Check) -> None:
    for B, n, h, d_k in ((1, 3, 12, 64), (4, 6, 2, 7), (2, 9, 8, 8)):
        x = draw.coded(B, n, h * d_k)
        check.equal(student.split_heads(x, h), expected.split(x, h))


@points(1, exercise="split_heads", concept="splitting keeps the kind of number")
def test_split_dtypes(student: Student, draw: SeededInputs, check: Check) -> None:
    for dtype in DTYPES:
        x = draw.normal(2, 5, 6, dtype=dtype)
        got = check.dtype(student.split_heads(x, 3), dtype)
        check.equal(got, expected.split(x, 3))


@points(1, exercise="split_heads", side=True, concept="splitting leaves its input as it was")
def test_split_leaves_its_input_alone(student: Student, draw: SeededInputs, check: Check) -> None:
    x = draw.coded(2, 4, 6)
    got, after = student.echo("split_heads", x, 3)
    check.unchanged(after[0], x, "x")
    check.shape(got, (2, 3, 4, 2))


@points(1, exercise="split_heads", concept="training reaches through the split")
def test_split_gradient(student: Student, draw: SeededInputs, check: Check) -> None:
    x, cotangent = draw.normal(2, 4, 6), draw.normal(2, 3, 4, 2)
    got = student.gradient("split_heads", (x, 3), wrt=0, cotangent=cotangent)
    check.close(got, expected.merge(cotangent), "gradient")


@points(0.5, exercise="split_heads", side=True, concept="a d_model that the heads cannot share is refused")
def test_split_refuses_unequal_slices(student: Student, draw: SeededInputs) -> None:
    try:
        student.split_heads(draw.normal(2, 4, 10), 3)
    except NotWritten:
        raise
    except StudentRaised:
        return
    raise Wrong("split.not_refused", d_model=10, n_head=3)


@points(0, exercise="split_heads", concept="every number goes to its head, none is left out")
def test_split_moves_the_numbers(student: Student, draw: SeededInputs, check: Check) -> None:
    x = draw.normal(2, 5, 12)
    _moved(check.tensor(student.split_heads(x, 3)), x)


@points(0, exercise="split_heads", side=True, concept="splitting works on any device")
def test_split_device(student: Student, check: Check) -> None:
    check.shape(student.split_heads(torch.empty(2, 7, 15, device="meta"), 3), (2, 3, 7, 5), device="meta")


@points(0.5, exercise="merge_heads", side=True, concept="every token gets its d_model numbers back")
def test_merge_shape(student: Student, draw: SeededInputs, check: Check) -> None:
    for B, h, n, d_k in ((2, 3, 7, 5), (5, 4, 2, 3)):
        check.shape(student.merge_heads(draw.normal(B, h, n, d_k)), (B, n, h * d_k))


@points(3, exercise="merge_heads", concept="the heads' slices of one token stand side by side")
def test_slices_stand_side_by_side(student: Student, draw: SeededInputs, check: Check) -> None:
    for B, h, n, d_k in ((2, 3, 7, 5), (1, 5, 4, 2), (3, 2, 6, 7)):
        x = draw.coded(B, n, h * d_k)
        check.equal(student.merge_heads(expected.split(x, h)), x)


@points(1, exercise="merge_heads", concept="merging works for one token, one head, one sentence")
def test_merge_smallest_sizes(student: Student, draw: SeededInputs, check: Check) -> None:
    for B, h, n, d_k in ((2, 3, 1, 5), (2, 1, 7, 5), (2, 5, 7, 1), (1, 12, 3, 64)):
        x = draw.coded(B, n, h * d_k)
        check.equal(student.merge_heads(expected.split(x, h)), x)


@points(0.5, exercise="merge_heads", concept="merging takes a tensor whose axes were exchanged")
def test_merge_exchanged_axes(student: Student, draw: SeededInputs, check: Check) -> None:
    for B, h, n, d_k in ((2, 3, 7, 5), (1, 2, 4, 6)):
        turned = draw.coded(d_k, n, h * B).view(d_k, n, h, B)
        y = turned.permute(3, 2, 1, 0)  # (d_k, n, h, B) -> (B, h, n, d_k), the numbers where they were
        check.equal(student.merge_heads(y), expected.merge(y))


@points(1, exercise="merge_heads", concept="merging keeps the kind of number")
def test_merge_dtypes(student: Student, draw: SeededInputs, check: Check) -> None:
    for dtype in DTYPES:
        y = draw.normal(2, 3, 5, 2, dtype=dtype)
        got = check.dtype(student.merge_heads(y), dtype)
        check.equal(got, expected.merge(y))


@points(1, exercise="merge_heads", side=True, concept="merging leaves its input as it was")
def test_merge_leaves_its_input_alone(student: Student, draw: SeededInputs, check: Check) -> None:
    y = draw.normal(2, 3, 4, 2)
    got, after = student.echo("merge_heads", y)
    check.unchanged(after[0], y, "y")
    check.shape(got, (2, 4, 6))


@points(1, exercise="merge_heads", concept="training reaches through the merge")
def test_merge_gradient(student: Student, draw: SeededInputs, check: Check) -> None:
    y, cotangent = draw.normal(2, 3, 4, 2), draw.normal(2, 4, 6)
    got = student.gradient("merge_heads", (y,), wrt=0, cotangent=cotangent)
    check.close(got, expected.split(cotangent, 3), "gradient")


@points(0, exercise="merge_heads", concept="every head's numbers come along")
def test_merge_moves_the_numbers(student: Student, draw: SeededInputs, check: Check) -> None:
    y = draw.normal(2, 3, 5, 4)
    _moved(check.tensor(student.merge_heads(y)), y)


@points(0, exercise="merge_heads", side=True, concept="merging works on any device")
def test_merge_device(student: Student, check: Check) -> None:
    check.shape(student.merge_heads(torch.empty(2, 3, 7, 5, device="meta")), (2, 7, 15), device="meta")


def _moved(got: Tensor, given: Tensor) -> None:
    """Are these the same numbers in another order? That is no proof of right code, but of an attempt."""
    if not torch.equal(got.flatten().to(given.dtype).sort().values, given.flatten().sort().values):
        raise Wrong("heads.numbers_lost", fingerprint=fingerprint(got))
    if torch.equal(got.flatten().to(given.dtype), given.flatten()):
        raise Wrong("heads.only_renamed", fingerprint=fingerprint(got))
