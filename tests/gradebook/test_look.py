"""Of all flags those that ask for a person, the serious first."""

from __future__ import annotations

import random

import pytest

from autograder.gradebook.look import SERIOUS_FIRST, how_serious, kind, to_look_at
from autograder.results import Flag
from tests.feedback.used_ids import python_uses

ATTACK = Flag(id="attack", params={"what": "a socket"})
SOLUTIONS = Flag(id="needless", params={"name": "solutions", "file": "a.py", "line": 1})
NOT_ALLOWED = Flag(id="not_allowed", params={"name": "x", "file": "a.py", "line": 1})
NEEDLESS = Flag(id="needless", params={"name": "socket", "file": "a.py", "line": 1})
NOTE = Flag(id="taken_from", params={"exercises": [], "file": "a.py"})
ORDER = [ATTACK, SOLUTIONS, NOT_ALLOWED, NEEDLESS, Flag(id="not_scanned", params={"file": "a.py"})]


@pytest.mark.parametrize("seed", range(5))
def test_the_serious_come_first_and_notes_are_left_out(seed: int) -> None:
    mixed = [*ORDER, NOTE]
    random.Random(seed).shuffle(mixed)
    assert to_look_at(mixed) == ORDER
    assert how_serious(mixed) == 0


def test_students_are_sorted_by_their_most_serious_flag() -> None:
    ranks = [
        how_serious(flags)
        for flags in ([ATTACK], [NEEDLESS, SOLUTIONS], [NOT_ALLOWED], [NEEDLESS], [NOTE], [])
    ]
    assert ranks == sorted(ranks)
    assert len(set(ranks[:4])) == 4


@pytest.mark.parametrize("name", ["solutions", "solutions.heads", "autograder", "from autograder"])
def test_who_imports_ours_is_serious(name: str) -> None:
    assert kind(Flag(id="needless", params={"name": name})) == "imports_solutions"
    assert kind(Flag(id="needless", params={"name": "my_solutions_2"})) == "needless"


def test_every_flag_of_the_kit_is_known_as_a_note_or_to_be_looked_at() -> None:
    """A new flag must be put somewhere on purpose."""
    notes = {
        "also_written", "empty_below", "encoding", "module_twice", "more_uses", "read_as", "taken_from",
    }  # fmt: skip
    used = {u.id.removeprefix("flag.") for u in python_uses() if u.id.startswith("flag.")}
    assert {id for id in used if not id.startswith("notebook.")} <= {*SERIOUS_FIRST, *notes}
