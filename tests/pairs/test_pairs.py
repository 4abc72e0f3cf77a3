"""Two mistakes in different exercises of one submission: both named, and nothing else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from autograder.assignment import load_assignment
from autograder.chapter04.diagnosis.pictures import COSTLY
from autograder.diagnosis.entries import catalogue
from autograder.diagnosis.mutants import calling
from autograder.grading.standins import NOBODY, StandIns
from autograder.sandbox.trusted import load
from tests.diagnosis.planting import assignment, one
from tests.pairs.kept import Kept
from tests.pairs.measure import Pair, Said, all_pairs, judged, measure, name_of, names, told
from tests.pairs.remembering import Memory, reached, right_files


@pytest.mark.slow
@pytest.mark.parametrize("n", [24, pytest.param(60, marks=pytest.mark.endurance)])
def test_both_are_named_and_nothing_that_is_not_there(n: int) -> None:
    """`python -m tests.pairs --all` takes all of them."""
    chosen = random.Random(7).sample(all_pairs(assignment()), n)
    lines, good = told(measure(chosen, assignment()))
    assert good, lines


@pytest.mark.slow
def test_a_memory_changes_nothing():
    """The pairs of which neither exercise needs the other are what it takes the answers of each alone for."""
    apart = [p for p in all_pairs(assignment()) if not {a.exercise for a in p} & needed(p)]
    some = random.Random(8)
    memory = Memory()
    for pair in [*some.sample(apart, 3), *some.sample(all_pairs(assignment()), 2)]:
        assert names(pair, assignment(), memory) == names(pair, assignment(), None), name_of(pair)


@pytest.mark.slow
def test_no_third_exercise_is_given_a_mistake():
    for pair in random.Random(9).sample(all_pairs(assignment()), 3):
        said = judged(pair, assignment(), Memory(), whole=True)
        assert said.fine, said


def test_mistakes_that_undo_each_other_leave_nothing_to_name():
    turned = [one("mask-polarity", exercise) for exercise in ("causal_mask", "causal_softmax")]
    said = judged((turned[0], turned[1]), assignment(), Memory())
    assert said.each == ("right", "undone")  # the mask is wrong; the softmax turns it back


def test_what_costs_nothing_in_an_earlier_exercise_has_no_name_in_a_later_one():
    """Exponentials that grow too large are told in causal_softmax; what calls it shows them as well."""
    overflow = one("softmax-overflow", "causal_softmax")
    for mistake, exercise in (("cache-ignored", "attend_with_cache"), ("mask-cpu", "MultiHeadAttention")):
        found = names([overflow, calling(one(mistake, exercise))], assignment(), Memory())
        assert found["causal_softmax"] == ("softmax-overflow",)
        assert found[exercise] == (mistake,)


def needed(pair: Pair) -> set[str]:
    return {e for p in pair for e in assignment().needed_by(p.exercise)}


def test_pairs_are_of_all_mistakes_and_different_exercises():
    found = all_pairs(assignment())
    assert len(found) == len({name_of(p) for p in found})
    assert all(a.exercise != b.exercise for a, b in found)
    assert {p.mistake for pair in found for p in pair} == set(catalogue(load_assignment())) - COSTLY


def test_code_that_calls_the_earlier_exercises():
    written_out = one("no-scale", "attend_with_cache")
    called = calling(written_out)
    assert called.calls
    assert "split_heads(q, n_head)" not in written_out.source
    assert "split_heads(q, n_head)" in called.source
    assert "causal_softmax(att, causal)" in called.source
    assert "concat_and_project(y, c_proj)" in called.source
    assert callable(load(load_assignment(), {called.file: called.source})["kv_cache"].attend_with_cache)
    own = calling(one("softmax-queries", "MultiHeadAttention")).source
    assert "F.softmax(att, dim=-2)" in own
    assert "future = causal_mask(n, n_all, device=x.device)" in own
    assert calling(one("diagonal-0", "causal_mask")) == one("diagonal-0", "causal_mask")


def test_what_an_exercise_can_reach():
    def symbols(exercise: str, *replaced: str) -> set[str]:
        return {s for s, _ in reached(right_files(), exercise, StandIns(frozenset(replaced)), assignment())}

    assert symbols("causal_softmax") == {"causal_softmax", "causal_mask"}
    assert symbols("generate") == {"generate"}
    assert symbols("attend_with_cache") >= {"split_heads", "MultiHeadAttention", "concat_and_project"}
    changed = {
        **right_files(),
        "heads.py": right_files()["heads.py"] + b"\n\ndef split_heads(x, n): return x\n",
    }
    for exercise in ("split_heads", "MultiHeadAttention"):
        before, after = (reached(files, exercise, NOBODY, assignment()) for files in (right_files(), changed))
        assert before != after
        assert reached(changed, exercise, StandIns(frozenset({"split_heads"})), assignment()) == before
    before, after = (
        reached(files, "causal_softmax", NOBODY, assignment()) for files in (right_files(), changed)
    )
    assert before == after


def test_answers_are_kept_for_the_same_kit_only(tmp_path: Path):
    file = tmp_path / "pairs.jsonl"
    first = Kept(file, assignment())
    first.add(Said("a + b", ("right", "unnamed"), ("c in d",)))
    with file.open("a") as stopped:
        stopped.write('["d + e", ["ri')
    assert Kept(file, assignment()).said == first.said
    Kept(file, assignment()).add(Said("d + e", ("right", "right")))
    assert len(Kept(file, assignment()).said) == 2
    file.write_text(file.read_text().replace(file.read_text()[:4], "----", 1))
    assert Kept(file, assignment()).said == {}


def test_what_is_told():
    right, wrong = Said("a", ("right", "right")), Said("b", ("right", "misnamed"), ("c in d",))
    assert told([right, Said("c", ("right", "unseen"))] * 20)[1] is False  # three quarters named
    assert told([right] * 30 + [Said("c", ("right", "unnamed"))])[1]
    lines, good = told([right] * 100 + [wrong])
    assert not good
    assert "1 with a name for something that is not there" in lines[0]
