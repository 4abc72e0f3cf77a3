"""The hidden tests as a whole: points, names, and that they say nothing secret."""

from __future__ import annotations

import ast

import pytest

from autograder.feedback.texts import texts
from tests.chapter04.grading import assignment, outcomes
from tests.chapter04.pieces import FILES, SOLUTIONS

HIDDEN = SOLUTIONS.parent / "autograder" / "chapter04" / "hidden"


@pytest.fixture(scope="module")
def solved() -> list:
    return outcomes({name: (SOLUTIONS / name).read_text(encoding="utf-8") for name in FILES}, timing=True)


def test_points_of_each_exercise_add_up(solved):
    for exercise in assignment().exercises:
        total = sum(o.max_points for o in solved if o.exercise == exercise.id)
        assert total == exercise.points, exercise.id


def test_the_solutions_pass_everything(solved):
    assert [(o.id, o.verdict, o.message) for o in solved if o.verdict != "passed"] == []


def test_every_concept_is_said_once(solved):
    concepts = [o.concept for o in solved]
    assert sorted(set(concepts)) == sorted(concepts)
    assert len(solved) >= 45


def test_every_test_is_about_the_sheet_it_stands_in(solved):
    for o in solved:
        assert o.id.startswith(f"{assignment()[o.exercise].sheet}/"), o.id


def test_every_concept_has_its_sentence_in_both_languages(solved):
    for lang in assignment().languages:
        assert [o.id for o in solved if not texts(lang, assignment()).known(f"concept.{o.id}")] == []


def test_every_message_has_its_sentence_in_both_languages():
    ids = set()
    engine = SOLUTIONS.parent / "autograder" / "checks"
    for path in (*HIDDEN.glob("*.py"), *engine.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "id", "") in ("Wrong", "NotMeasured")
                and node.args
            ):
                ids |= {c.value for c in ast.walk(node.args[0]) if isinstance(c, ast.Constant)}
    assert {"values.differ", "cost.too_slow"} <= ids
    for lang in assignment().languages:
        assert sorted(id for id in ids if not texts(lang, assignment()).known(id)) == []
