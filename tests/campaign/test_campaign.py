"""The core of `make campaign`: what is quick to try."""

from __future__ import annotations

import pytest
import torch

from autograder.grading.standins import answerable, stand_ins
from tests.campaign.attacks import Attack, as_handed_in, attacks
from tests.campaign.bodies import HEADS, handed_in, names, themes
from tests.campaign.deserved import TOGETHER, deserved, earned_by
from tests.chapter04.grading import assignment, case_of
from tests.grading.conftest import Grade

THEMES = themes()
ATTACKS = {a.name: a for a in attacks()}
TRIED = (  # in the sandbox; `make campaign` tries all
    "split_heads by merge_heads, syntax",
    "merge_heads by split_heads, syntax",
    "concat_and_project by split_heads, syntax",
    "causal_mask by causal_softmax, syntax",
    "causal_mask looks for itself, causal_softmax syntax",
    "concat_and_project looks for itself, MultiHeadAttention syntax",
    "MultiHeadAttention looks for itself, concat_and_project wrong",
    "attend_with_cache looks for itself, MultiHeadAttention wrong",
    "all look for themselves",
)


@pytest.mark.parametrize("theme", THEMES)
def test_one_idea_for_everything_is_no_idea(theme: str) -> None:
    assert sum(earned_by(case_of(handed_in(THEMES[theme]))).values()) <= TOGETHER


@pytest.mark.parametrize("exercise", HEADS)
def test_a_body_without_an_idea_earns_nothing(exercise: str) -> None:
    for name in names(exercise)[::3]:
        earned, limit = deserved(exercise, name, earned_by(case_of(handed_in({exercise: name}))))
        assert earned <= limit, name


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("name", ["any order", "any number", "normal"])
def test_chance_is_no_attempt(name: str, seed: int) -> None:
    """Whatever is drawn anew each time looks like dropout, which GPT-2 is tried without."""
    torch.manual_seed(seed)
    points = earned_by(case_of(handed_in({"MultiHeadAttention": name, "attend_with_cache": name})))
    assert points["MultiHeadAttention"] + points["attend_with_cache"] + points["gpt2"] == 0.0


def test_what_is_no_attempt_pays_for_no_later_exercise() -> None:
    """A mask that forbids nothing is a constant: a softmax without a mask is not "the same mistake"."""
    files = handed_in(THEMES["right shape"])
    files["mask.py"] += "\n\ndef causal_softmax(scores, causal=True):\n    return scores.softmax(dim=-1)\n"
    files["attention.py"] += (
        "\n\ndef concat_and_project(y, c_proj):\n    return c_proj(y.reshape(y.shape[0], y.shape[2], -1))\n"
    )
    points = earned_by(case_of(files))
    assert points["causal_softmax"] <= 5
    assert sum(points.values()) <= TOGETHER, points


@pytest.mark.parametrize("exercise", [e.id for e in assignment().exercises])
def test_no_reference_tells_what_is_asked(exercise: str) -> None:
    """Neither the exercise itself, nor what contains it, nor what undoes it."""
    every = [e.id for e in assignment().exercises]
    found = stand_ins(exercise, every, assignment())
    own = set(assignment().own_symbols(exercise))
    assert not own & found.symbols
    assert found.right <= {s for id in assignment().needed_by(exercise) for s in assignment()[id].symbols}
    for id in answerable(exercise, assignment()):
        assert exercise not in assignment().needed_by(id)
        assert id not in assignment().inverses_of(exercise)
        assert exercise not in {x for e in assignment().needed_by(id) for x in assignment().inverses_of(e)}


def test_the_inverse_is_never_there() -> None:
    for judged, other in (("split_heads", "merge_heads"), ("merge_heads", "split_heads")):
        assert stand_ins(judged, [other], assignment()).right == frozenset()
        assert stand_ins(judged, [other], assignment()).stubs == {other}
    assert stand_ins("concat_and_project", ["split_heads", "merge_heads"], assignment()).right == {
        "merge_heads"
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", TRIED)
def test_who_looks_for_the_reference_earns_nothing(grade: Grade, name: str) -> None:
    attack: Attack = ATTACKS[name]
    result = grade(as_handed_in(attack.files))
    assert {e: result.points_of(e) for e in attack.thieves} == dict.fromkeys(attack.thieves, 0.0)
