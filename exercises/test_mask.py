"""Public tests of mask.py. In the masks True (T) is the future: forbidden."""

import math

import torch

from exercises.selfcheck.inputs import KINDS, wave

T, F = True, False


def test_the_future_is_a_triangle(causal_mask, check):
    expected = [[F, T, T, T], [F, F, T, T], [F, F, F, T], [F, F, F, F]]
    check.same(causal_mask(4), expected, "query key")


def test_the_mask_is_bool(causal_mask, check):
    check.dtype(causal_mask(3), torch.bool)


def test_the_queries_are_the_last_positions(causal_mask, check):
    expected = [[F, F, F, T, T], [F, F, F, F, T], [F, F, F, F, F]]
    check.same(causal_mask(3, 5), expected, "query key")


def test_one_new_token_sees_everything(causal_mask, check):
    check.same(causal_mask(1, 4), [[F, F, F, F]], "query key")


def test_the_mask_takes_any_sizes(causal_mask, check):
    for n_query, n_key in ((1, 1), (2, 2), (9, 9), (2, 7), (4, 5), (2, 3), (1, 12)):
        past = n_key - n_query
        expected = [[key > past + query for key in range(n_key)] for query in range(n_query)]
        check.same(causal_mask(n_query, n_key), expected, "query key")
        check.dtype(causal_mask(n_query, n_key), torch.bool)


def test_equal_scores_share_equally(causal_softmax, check):
    scores = torch.zeros(1, 1, 3, 3)
    expected = [[[[1, 0, 0], [1 / 2, 1 / 2, 0], [1 / 3, 1 / 3, 1 / 3]]]]
    check.same(causal_softmax(scores), expected, "batch head query key")


def test_weights_come_from_the_scores(causal_softmax, check):
    scores = torch.tensor([[[[1, 5, 9], [1, 3, 9], [2, 1, 5]]]]).log()  # e^score is 1, 5, 9 ...
    expected = [[[[1, 0, 0], [1 / 4, 3 / 4, 0], [2 / 8, 1 / 8, 5 / 8]]]]
    check.same(causal_softmax(scores), expected, "batch head query key")


def test_each_row_sums_to_one(causal_softmax, check):
    weights = causal_softmax(wave(2, 3, 4, 4, size=3.0))
    check.tensor(weights)
    check.same(weights.sum(dim=-1), torch.ones(2, 3, 4), "batch head query")


def test_the_future_gets_exactly_zero(causal_softmax, check):
    scores = torch.full((1, 1, 3, 3), 2.0)
    weights = causal_softmax(scores)
    check.tensor(weights)
    future = [[0, 1], [0, 2], [1, 2]]  # (query, key)
    got = torch.stack([weights[..., q, k] for q, k in future], dim=-1)
    check.same(got, torch.zeros(1, 1, 3), "batch head pair")
    check.that(bool((got == 0).all()), "wrong.not_zero")


def test_without_causal_nothing_is_forbidden(causal_softmax, check):
    scores = torch.tensor([[[[1, 1, 2], [3, 4, 1], [2, 1, 5]]]]).log()
    expected = [[[[1 / 4, 1 / 4, 2 / 4], [3 / 8, 4 / 8, 1 / 8], [2 / 8, 1 / 8, 5 / 8]]]]
    check.same(causal_softmax(scores, causal=False), expected, "batch head query key")


def test_two_new_tokens_after_two_old_ones(causal_softmax, check):
    scores = torch.tensor([[[[1, 2, 1, 7], [1, 2, 1, 4]]]]).log()
    expected = [[[[1 / 4, 2 / 4, 1 / 4, 0], [1 / 8, 2 / 8, 1 / 8, 4 / 8]]]]
    check.same(causal_softmax(scores), expected, "batch head query key")


def test_the_scores_stay_as_they_are(causal_softmax, check):
    scores = torch.full((1, 1, 2, 2), math.log(2))
    before = scores.clone()
    causal_softmax(scores)
    check.unchanged("scores", scores, before)


def test_a_long_row_and_any_axes_in_front(causal_softmax, check):
    for front in ((), (4,), (2, 3, 2)):
        for n_query, n_key in ((12, 12), (3, 9), (1, 1)):
            past = n_key - n_query
            rows = [[float(key <= past + query) for key in range(n_key)] for query in range(n_query)]
            seen = torch.tensor(rows)
            expected = (seen / seen.sum(dim=-1, keepdim=True)).expand(*front, n_query, n_key)
            axes = ["batch", "head", "head"][: len(front)]
            check.same(
                causal_softmax(torch.zeros(*front, n_query, n_key)), expected, " ".join([*axes, "query key"])
            )


def test_high_scores_of_the_future_change_nothing(causal_softmax, check):
    scores = torch.tensor([[[[-20, 40, 40], [-20, -20, 40], [-20, -20, -20]]]]).float()
    weights = causal_softmax(scores)
    expected = [[[[1, 0, 0], [1 / 2, 1 / 2, 0], [1 / 3, 1 / 3, 1 / 3]]]]
    check.same(weights, expected, "batch head query key")
    future = [[0, 1], [0, 2], [1, 2]]  # (query, key)
    got = torch.stack([weights[..., q, k] for q, k in future], dim=-1)
    check.that(bool((got == 0).all()), "wrong.not_zero")


def test_weights_are_of_the_kind_of_the_scores(causal_softmax, check):
    for kind in KINDS:
        weights = causal_softmax(torch.zeros(1, 1, 2, 2, dtype=kind))
        check.dtype(weights, kind)
        check.same(weights, [[[[1, 0], [1 / 2, 1 / 2]]]], "batch head query key")
        check.same(
            causal_softmax(wave(1, 1, 4, 4).to(kind)).float().sum(dim=-1),
            torch.ones(1, 1, 4),
            "batch head query",
            rough=True,
        )


def test_training_reaches_through_the_weights(causal_softmax, check):
    scores = wave(1, 2, 3, 3)
    check.gradient(lambda: causal_softmax(scores), scores=scores)
