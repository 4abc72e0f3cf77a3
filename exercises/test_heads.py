"""Public tests of heads.py. Numbers say where they come from: token * 100 + position in the token."""

import torch

from exercises.selfcheck.inputs import KINDS, coded, wave

SIZES = ((2, 1, 3, 5), (2, 7, 1, 5), (2, 7, 5, 1), (1, 1, 1, 1), (4, 6, 2, 7), (1, 3, 12, 64))


def slices(sentences, tokens, n_head, d_k):
    """What the numbers of coded(tokens, n_head * d_k, sentences) are when each head has its own."""
    places = [[[[0] * d_k for _ in range(tokens)] for _ in range(n_head)] for _ in range(sentences)]
    for s in range(sentences):
        for h in range(n_head):
            for t in range(tokens):
                for i in range(d_k):
                    places[s][h][t][i] = s * 1000 + t * 100 + h * d_k + i
    return torch.tensor(places).float()


def test_each_head_reads_its_own_slice(split_heads, check):
    x = coded(tokens=3, dims=4)
    heads = split_heads(x, 2)
    expected = [[[[0, 1], [100, 101], [200, 201]], [[2, 3], [102, 103], [202, 203]]]]
    check.same(heads, expected, "batch head token number")


def test_split_two_sentences_into_three_heads(split_heads, check):
    x = coded(sentences=2, tokens=2, dims=6)
    heads = split_heads(x, 3)
    expected = [
        [[[0, 1], [100, 101]], [[2, 3], [102, 103]], [[4, 5], [104, 105]]],
        [[[1000, 1001], [1100, 1101]], [[1002, 1003], [1102, 1103]], [[1004, 1005], [1104, 1105]]],
    ]
    check.same(heads, expected, "batch head token number")


def test_split_refuses_uneven_heads(split_heads, check):
    x = coded(tokens=3, dims=4)
    check.refuses(lambda: split_heads(x, 3))


def test_split_takes_any_sizes(split_heads, check):
    for sentences, tokens, n_head, d_k in SIZES:
        heads = split_heads(coded(tokens, n_head * d_k, sentences), n_head)
        check.same(heads, slices(sentences, tokens, n_head, d_k), "batch head token number")


def test_split_keeps_the_kind_of_number(split_heads, check):
    for kind in KINDS:
        heads = split_heads(coded(tokens=2, dims=4).to(kind), 2)
        check.dtype(heads, kind)
        check.same(heads, slices(1, 2, 2, 2), "batch head token number")


def test_split_leaves_its_input_alone(split_heads, check):
    x = coded(tokens=3, dims=4)
    split_heads(x, 2)
    check.unchanged("x", x, coded(tokens=3, dims=4))


def test_training_reaches_through_the_split(split_heads, check):
    x = wave(1, 3, 4)
    check.gradient(lambda: split_heads(x, 2), x=x)


def test_slices_come_back_side_by_side(merge_heads, check):
    y = torch.tensor([[[[0, 1], [100, 101], [200, 201]], [[2, 3], [102, 103], [202, 203]]]]).float()
    check.same(merge_heads(y), coded(tokens=3, dims=4), "batch token number")


def test_merge_two_sentences_of_three_heads(merge_heads, check):
    y = torch.tensor(
        [
            [[[0, 1], [100, 101]], [[2, 3], [102, 103]], [[4, 5], [104, 105]]],
            [[[1000, 1001], [1100, 1101]], [[1002, 1003], [1102, 1103]], [[1004, 1005], [1104, 1105]]],
        ]
    ).float()
    check.same(merge_heads(y), coded(sentences=2, tokens=2, dims=6), "batch token number")


def test_merge_takes_exchanged_axes(merge_heads, check):
    tokens_first = torch.tensor([[[[0, 1], [2, 3]], [[100, 101], [102, 103]]]]).float()
    y = tokens_first.permute(0, 2, 1, 3)  # the same numbers, in another order than they lie in memory
    check.same(merge_heads(y), coded(tokens=2, dims=4), "batch token number")


def test_merge_undoes_split(split_heads, merge_heads, check):
    x = coded(sentences=2, tokens=3, dims=6)
    check.same(merge_heads(split_heads(x, 2)), x, "batch token number")


def test_merge_takes_any_sizes(merge_heads, check):
    for sentences, tokens, n_head, d_k in SIZES:
        merged = merge_heads(slices(sentences, tokens, n_head, d_k))
        check.same(merged, coded(tokens, n_head * d_k, sentences), "batch token number")


def test_merge_keeps_the_kind_of_number(merge_heads, check):
    for kind in KINDS:
        merged = merge_heads(slices(1, 2, 2, 2).to(kind))
        check.dtype(merged, kind)
        check.same(merged, coded(tokens=2, dims=4), "batch token number")


def test_merge_leaves_its_input_alone(merge_heads, check):
    y = slices(1, 3, 2, 2)
    merge_heads(y)
    check.unchanged("y", y, slices(1, 3, 2, 2))


def test_training_reaches_through_the_merge(merge_heads, check):
    y = wave(1, 2, 3, 2)
    check.gradient(lambda: merge_heads(y), y=y)
