"""No attack earns a point that the same wrong work without the attack does not get, and the class goes on."""

from __future__ import annotations

import pytest

from autograder.assignment import load_assignment
from autograder.results import Verdict
from tests.grading.conftest import Hand, hurried
from tests.sandbox.hostile_cases import CASES, FILES, HERE, submission

# What these submissions do besides attacking is refused or dies, and costs what the plain wrong work keeps.
BASE = (HERE / "hostile" / "_base.py").read_bytes()


@pytest.mark.slow
def test_attacks_earn_nothing_and_the_class_goes_on(hand_in: Hand, solved: dict[str, bytes]) -> None:
    assignment = hurried(load_assignment())
    wrong = hand_in(dict.fromkeys(FILES, BASE), assignment=assignment, name="plainly wrong")
    names = list(CASES)
    attacks = {name: hand_in(submission(name), assignment=assignment, name=name) for name in names}
    honest = hand_in(solved, assignment=assignment, name="honest, last in the row")

    plain = wrong.result().result
    assert plain is not None
    assert plain.score <= 25, "zeros of the right shape are worth little"
    for name, future in attacks.items():
        answer = future.result(timeout=600)
        assert answer.result is not None, f"{name}: {answer.fault}"
        result = answer.result
        faults = [t.id for t in result.tests if t.verdict is Verdict.GRADER_FAULT]
        assert not faults, f"{name} looks like our fault: {faults}"
        assert len(result.tests) == len(plain.tests), f"{name}: every test has a verdict"
        assert result.score <= plain.score, f"{name} earned something: {result.score} > {plain.score}"
    last = honest.result(timeout=600).result
    assert last is not None
    assert last.score == last.max_score


def test_an_attack_after_right_work_keeps_the_points(hand_in: Hand, solved: dict[str, bytes]) -> None:
    """Trying a door that is locked costs no points: what is right is right. A person sees the flag or
    nothing."""
    files = dict(solved)
    files["heads.py"] += b"\n\nimport os\ntry:\n    os.listdir('/')\nexcept OSError:\n    pass\n"
    answer = hand_in(files).result(timeout=120)
    assert answer.result is not None
    assert answer.result.score == answer.result.max_score
