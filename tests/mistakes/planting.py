"""What the tests of this room share."""

from __future__ import annotations

from functools import cache

from autograder.course import Course, load_course
from autograder.mistakes.entries import catalogue
from autograder.mistakes.matching import Answers, match
from autograder.mistakes.planted import Planted, local_student, plant


@cache
def course() -> Course:
    return load_course()


@cache
def planted() -> tuple[Planted, ...]:
    """One variant of each mistake in each exercise."""
    files = {e.id: e.file for e in course().exercises}
    return tuple(p for entry in catalogue().values() for p in plant(entry, files) if p.number == 0)


def one(mistake: str, exercise: str) -> Planted:
    return next(p for p in planted() if p.mistake == mistake and p.exercise == exercise)


def named(sources: dict[str, str], exercise: str, wrong: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The diagnosis of an exercise, with the earlier ones among `wrong` (exercises) put right."""
    before = [e for e in course().needed_by(exercise) if e in wrong and e != exercise]
    symbols = [s for e in before for s in course()[e].symbols if s not in course()[exercise].symbols]
    return match(Answers(local_student(sources, symbols)), exercise, course()).mistakes
