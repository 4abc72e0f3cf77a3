"""The model that the judge hands to `generate`: like a real one where it matters, and all is written down."""

from __future__ import annotations

import pytest
import torch

from autograder.chapter04.hidden.recorded_model import RecordedModel, sentences
from autograder.checks.inputs import SeededInputs


@pytest.fixture
def model() -> RecordedModel:
    return RecordedModel(SeededInputs("seed", "test"), n_positions=12)


@pytest.fixture
def ids(model) -> torch.Tensor:
    return SeededInputs("seed", "ids").ids(2, 7, model.vocab)


@pytest.mark.parametrize("steps", [[1] * 7, [3, 4], [5, 1, 1]])
def test_pieces_with_the_cache_give_what_the_whole_gives(model, ids, steps):
    whole, _ = model(ids)
    pieces, cache, done = [], None, 0
    for m in steps:
        logits, cache = model(ids[:, done : done + m], cache=cache, start=done)
        pieces.append(logits)
        done += m
    assert torch.equal(torch.cat(pieces, dim=1), whole)


def test_tokens_positions_and_the_past_all_count(model, ids):
    right, cache = model(ids[:, :6])
    last = model(ids[:, 6:], cache=cache, start=6)[0]
    for other in (
        model(ids[:, 6:], cache=cache, start=5)[0],  # another position
        model(ids[:, 6:], start=6)[0],  # nothing of the past
        model(ids[:, 6:], cache=model(ids[:, 1:6])[1], start=6)[0],  # another past
        model((ids[:, 6:] + 1) % model.vocab, cache=cache, start=6)[0],  # another token
    ):
        assert not torch.equal(other, last)
    assert right.shape == (2, 6, model.vocab)


def test_the_likeliest_token_is_clear(model, ids):
    best = model(ids)[0].topk(2, dim=-1).values
    assert float((best[..., 0] - best[..., 1]).min()) >= 1.0


def _said(steps):
    return [[(s.rows, s.start, s.past, s.newest_cache) for s in one] for one in steps]


def test_it_writes_down_what_it_was_asked(model, ids):
    _, first = model(ids[:, :3])
    _, second = model(ids[:, 3:4], cache=first, start=3)
    model(ids[:, 4:5], cache=first, start=4)
    one = [(3, 0, None, False), (1, 3, 3, True), (1, 4, 3, False)]
    assert _said(sentences(model.calls, ids[:, :3])) == [one, one]
    assert model.again().calls == []


ORDERS = {
    "one after the other": [[0], [0], [0], [1], [1], [1]],
    "in turn": [[0], [1], [1], [0], [0], [1]],
    "together": [[0, 1]] * 3,
    "the other way round": [[1, 0]] * 3,
    "together, then each": [[0, 1], [1], [0], [1], [0]],
    "each, then together": [[1], [0], [0, 1], [1, 0]],
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_each_sentence_is_followed_by_itself(model, ids, order):
    """Whichever sentences a call feeds, in whichever order: in pieces of 2, 3 and 1 tokens."""
    pieces, done, caches = [(0, 2), (2, 5), (5, 6)], [0, 0], [None, None]
    for rows in order:
        begin, end = pieces[done[rows[0]]]
        cache = None
        if begin:
            cache = [tuple(torch.cat([caches[b][i][j] for b in rows]) for j in (0, 1)) for i in (0, 1)]
        _, new = model(ids[rows, begin:end], cache=cache, start=begin)
        for at, b in enumerate(rows):
            caches[b] = [(k[at : at + 1], v[at : at + 1]) for k, v in new]
            done[b] += 1
    right = [(2, 0, None, False), (3, 2, 2, True), (1, 5, 5, True)]
    assert _said(sentences(model.calls, ids[:, :5])) == [right, right]


@pytest.mark.parametrize("rows", [[0, 1], [0]])
def test_what_begins_like_no_sentence_belongs_to_the_one_of_its_row_or_the_last(model, ids, rows):
    model(ids[rows, :3])
    model(ids[rows, 5:6], start=5)  # neither a cache nor the beginning
    found = _said(sentences(model.calls, ids[:, :3]))
    assert found[0] == [(3, 0, None, False), (1, 5, None, False)]
    assert found[1] == (found[0] if len(rows) == 2 else [])


def test_past_the_last_position_it_refuses_and_remembers(model, ids):
    assert not model.past_the_end
    with pytest.raises(IndexError):
        model(ids, start=6)
    assert model.past_the_end


def test_a_cache_that_was_meddled_with_is_refused(model, ids):
    _, cache = model(ids)
    k, v = cache[0]
    for meddled in ([(k + 1, v), cache[1]], [(v, k), cache[1]], cache[:1], [(k, v[:, :, 1:]), cache[1]]):
        with pytest.raises(ValueError, match="cache"):
            model(ids[:, :1], cache=meddled, start=7)
