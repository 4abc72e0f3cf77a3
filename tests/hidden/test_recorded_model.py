"""The model that the judge hands to `generate`: like a real one where it matters, and all is written down."""

from __future__ import annotations

import pytest
import torch

from autograder.hidden.draw import Draw
from autograder.hidden.recorded_model import RecordedModel


@pytest.fixture
def model() -> RecordedModel:
    return RecordedModel(Draw("seed", "test"), n_positions=12)


@pytest.fixture
def ids(model) -> torch.Tensor:
    return Draw("seed", "ids").ids(2, 7, model.vocab)


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


def test_it_writes_down_what_it_was_asked(model, ids):
    _, first = model(ids[:, :3])
    _, second = model(ids[:, 3:4], cache=first, start=3)
    model(ids[:, 4:5], cache=first, start=4)
    asked = [(list(c.ids.shape), c.start, c.past, c.newest_cache) for c in model.calls]
    assert asked == [([2, 3], 0, None, False), ([2, 1], 3, 3, True), ([2, 1], 4, 3, False)]
    assert model.again().calls == []


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
