"""Public tests of heads.py. Numbers say where they come from: token * 100 + position in the token."""

import torch

from exercises.selfcheck.inputs import coded


def test_each_head_reads_its_own_slice(split_heads, check):
    x = coded(tokens=3, dims=4)
    heads = split_heads(x, n_head=2)
    expected = [[[[0, 1], [100, 101], [200, 201]], [[2, 3], [102, 103], [202, 203]]]]
    check.same(heads, expected, "batch head token number")


def test_split_two_sentences_into_three_heads(split_heads, check):
    x = coded(sentences=2, tokens=2, dims=6)
    heads = split_heads(x, n_head=3)
    expected = [
        [[[0, 1], [100, 101]], [[2, 3], [102, 103]], [[4, 5], [104, 105]]],
        [[[1000, 1001], [1100, 1101]], [[1002, 1003], [1102, 1103]], [[1004, 1005], [1104, 1105]]],
    ]
    check.same(heads, expected, "batch head token number")


def test_split_refuses_uneven_heads(split_heads, check):
    x = coded(tokens=3, dims=4)
    check.refuses(lambda: split_heads(x, n_head=3))


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
    check.same(merge_heads(split_heads(x, n_head=2)), x, "batch token number")
