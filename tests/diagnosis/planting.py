"""What the tests of this room share."""

from __future__ import annotations

from functools import cache

from autograder.assignment import Assignment, load_assignment
from autograder.diagnosis.entries import catalogue
from autograder.diagnosis.matching import Answers, match
from autograder.diagnosis.mutants import Planted, local_student, plant


@cache
def assignment() -> Assignment:
    return load_assignment()


@cache
def planted() -> tuple[Planted, ...]:
    """One variant of each mistake in each exercise."""
    return tuple(
        p
        for entry in catalogue(load_assignment()).values()
        for p in plant(entry, load_assignment())
        if p.number == 0
    )


def one(mistake: str, exercise: str) -> Planted:
    return next(p for p in planted() if p.mistake == mistake and p.exercise == exercise)


def named(sources: dict[str, str], exercise: str, wrong: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The diagnosis of an exercise, with the earlier ones among `wrong` (exercises) put right."""
    before = [e for e in assignment().needed_by(exercise) if e in wrong and e != exercise]
    symbols = [s for e in before for s in assignment()[e].symbols if s not in assignment()[exercise].symbols]
    return match(Answers(local_student(load_assignment(), sources, symbols)), exercise, assignment()).mistakes
