"""What may stand in the place of a student's other exercises while one of them is judged.

Student code can read whatever lies in its process. So the reference of an exercise is there only when the one
that is judged needs it (course.toml's `needs`), and never the reference of that one itself, of what contains
it or of what undoes it. Where something only has to be importable, a stub that raises stands there.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from autograder.assignment import Assignment


@dataclass(frozen=True)
class StandIns:
    """Symbols that are not the student's in one worker."""

    right: frozenset[str] = frozenset()  # the reference answers
    stubs: frozenset[str] = frozenset()  # can be imported, and raise when they are used

    @property
    def symbols(self) -> frozenset[str]:
        """All of them."""
        return self.right | self.stubs


NOBODY = StandIns()


def stand_ins(exercise: str, replaced: Collection[str], assignment: Assignment) -> StandIns:
    """For the worker in which `exercise` is judged without the student's own `replaced` exercises."""
    own = set(assignment.own_symbols(exercise))
    right = {
        s for id in replaced for s in assignment[id].symbols if id in answerable(exercise, assignment)
    } - own
    stubs = {s for id in replaced for s in assignment[id].symbols} - right - own
    return StandIns(frozenset(right), frozenset(stubs))


def answerable(exercise: str, assignment: Assignment) -> set[str]:
    """Exercises whose reference says nothing about what is asked in `exercise`."""
    undone = assignment.inverses_of(exercise)
    telling = {exercise, *undone}
    telling |= {e.id for e in assignment.exercises if telling & set(assignment.needed_by(e.id))}
    return set(assignment.needed_by(exercise)) - telling
