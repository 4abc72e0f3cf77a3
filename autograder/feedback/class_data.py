"""What the class page is made of: pure data, in one language."""

from __future__ import annotations

from dataclasses import dataclass

from autograder.feedback.pictures.svg import Pictures
from autograder.feedback.rich import Rich


@dataclass(frozen=True)
class Person:
    """A student with the page to open."""

    name: str
    link: str


@dataclass(frozen=True)
class Shared:
    """A mistake or an unexplained output, and who has it."""

    name: Rich
    exercise: str
    people: tuple[Person, ...]
    share: float  # of the class, 0 to 1
    tag: str  # of its students' rows
    free: bool = False  # costs no points


@dataclass(frozen=True)
class TestRow:
    """One hidden test over the class."""

    concept: Rich
    right: str  # "75 %"
    share: float
    credited: int
    discrimination: str
    doubtful: bool  # those who are good at the rest fail here
    seconds: str
    exercise: str  # its title
    tag: str  # of the rows of those who fail
    missed: int


@dataclass(frozen=True)
class ExerciseRows:
    """One exercise and its tests."""

    title: str
    mean: str
    max_points: str
    tests: tuple[TestRow, ...]


@dataclass(frozen=True)
class Note:
    """Something for a person to look at, and whom it concerns."""

    people: tuple[Person, ...]
    text: Rich


@dataclass(frozen=True)
class Look:
    """A student whom a person must look at, the serious first."""

    person: Person
    texts: tuple[Rich, ...]


@dataclass(frozen=True)
class Alike:
    """Submissions that are alike: a question."""

    people: tuple[Person, ...]
    symbols: tuple[str, ...]
    nodes: int
    wrong: int


@dataclass(frozen=True)
class StudentRow:
    """A row of the table of all students. tags: what the page can be filtered by, separated by blanks."""

    person: Person
    score: str  # "": no grade, and no parts either
    parts: tuple[str, ...]
    full: tuple[bool, ...]
    notes: int
    tags: str
    about: tuple[str, ...] = ()  # name, section, days late, what counts: as far as the class has them


@dataclass(frozen=True)
class ClassView:
    """The whole page."""

    count: int  # of those graded
    without: int  # of those that are not
    waiting: tuple[Person, ...]  # whose turn had not come when the run was stopped
    mean: str
    median: str
    complete: int
    distribution: Pictures
    mistakes: tuple[Shared, ...]
    clusters: tuple[Shared, ...]
    alone: int
    exercises: tuple[ExerciseRows, ...]
    faults: tuple[Note, ...]
    undecided: tuple[Note, ...]
    look: tuple[Look, ...]
    flags: tuple[Note, ...]  # notes: nobody needs to do anything
    alike: tuple[Alike, ...]
    hardest: tuple[TestRow, ...]
    problems: tuple[Note, ...]
    empty: tuple[Note, ...]
    students: tuple[StudentRow, ...]
    columns: tuple[str, ...]
    about: tuple[str, ...]  # further columns, before the exercises: "name", "section", "late", "final"
    isolation: tuple[str, ...]
    kits: tuple[str, ...]
