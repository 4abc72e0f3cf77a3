"""Exercise 9 asks for no new code: your attention runs inside a small but real GPT-2 (lab/gpt2.py)."""

import pytest

from exercises.selfcheck.chapter import needed_by
from exercises.support.gpt2 import Trial, same_logits


@pytest.fixture
def gpt2(attempt):
    """A real GPT-2 with your attention in it; waits until what it needs is right."""
    for exercise in needed_by("gpt2"):
        attempt.wait_for(exercise)
    return Trial(attempt)


def test_your_attention_gives_the_logits_of_gpt2(gpt2, check):
    ids = gpt2.ids(sentences=2, tokens=12)
    same_logits(check, gpt2.logits(ids), gpt2.reference(ids))


def test_your_cache_gives_the_logits_of_gpt2(gpt2, check):
    ids = gpt2.ids(sentences=2, tokens=12)
    same_logits(check, gpt2.logits_in_pieces(ids, pieces=(5, 1, 1, 3, 2)), gpt2.reference(ids))


def test_your_generate_writes_what_gpt2_writes(gpt2, check):
    ids = gpt2.ids(sentences=1, tokens=5)
    written = gpt2.generate(ids, max_new_tokens=8)
    check.tensor(written)
    check.that(written.shape == (1, 13), "wrong.shape_only", expected=(1, 13), got=tuple(written.shape))
    logits = gpt2.reference(written)[:, 4:-1]  # after each token: what may come next
    chosen = logits.gather(-1, written[:, 5:, None])[..., 0]
    check.same(chosen, logits.amax(dim=-1), "batch token")  # always the likeliest
