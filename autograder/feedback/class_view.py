"""The class as its page tells it, in one language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from autograder.feedback.class_stats import Item, Stats, class_stats
from autograder.feedback.mistake_texts import MistakeTexts, told
from autograder.feedback.pictures.histogram import histogram
from autograder.feedback.pictures.svg import Pictures
from autograder.feedback.rich import Rich
from autograder.feedback.texts import Texts
from autograder.feedback.wording import concept, flag_for_instructor, message, problem, title
from autograder.results import SubmissionResult, TestResult, Verdict


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
class StudentRow:
    """A row of the table of all students."""

    person: Person
    score: str  # "": no grade, and no parts either
    parts: tuple[str, ...]
    full: tuple[bool, ...]
    notes: int


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
    flags: tuple[Note, ...]
    problems: tuple[Note, ...]
    empty: tuple[Note, ...]
    students: tuple[StudentRow, ...]
    columns: tuple[str, ...]
    isolation: tuple[str, ...]
    kits: tuple[str, ...]


def class_view(
    results: Sequence[SubmissionResult],
    say: Texts,
    mistakes: MistakeTexts,
    links: Mapping[str, str],
    waiting: Sequence[str] = (),
) -> ClassView:
    """Everything the page says. `links`: student -> address of their page, relative to the class page;
    `waiting`: students who are not among the results yet."""
    results = sorted(results, key=lambda r: (r.student.casefold(), r.student))
    stats = class_stats(results, say.assignment)
    people = {r.student: Person(r.student, links.get(r.student, "")) for r in results}
    return ClassView(
        count=len(stats.scores),
        without=stats.without,
        waiting=tuple(Person(name, links.get(name, "")) for name in waiting),
        mean=say.number(round(stats.mean, 1)),
        median=say.number(round(stats.median, 1)),
        complete=stats.bins[-1],
        distribution=histogram(stats.bins, say),
        mistakes=tuple(_mistakes(stats, people, say, mistakes)),
        clusters=tuple(_clusters(stats, people, say)),
        alone=stats.alone,
        exercises=tuple(_exercises(results, stats, say)),
        faults=_notes(((s, _about(x, say)) for s, x in stats.faults), people),
        undecided=_notes(((s, _about(x, say)) for s, x in stats.undecided), people),
        flags=_notes(((s, flag_for_instructor(f, say)) for s, f in stats.flags), people),
        problems=_notes(((s, problem(p, say)) for s, p in stats.problems), people),
        empty=_notes(((s, problem(p, say)) for s, p in stats.empty), people),
        students=tuple(_row(r, people[r.student], say) for r in results),
        columns=tuple(title(e.id, say) for e in say.assignment.exercises),
        isolation=tuple(dict.fromkeys(r.isolation for r in results)),
        kits=tuple(dict.fromkeys(r.kit.version for r in results)),
    )


def _notes(said: Iterable[tuple[str, Rich]], people: Mapping[str, Person]) -> tuple[Note, ...]:
    """The same thing about several students is said once."""
    groups: dict[Rich, dict[str, None]] = {}
    for student, text in said:
        groups.setdefault(text, {})[student] = None
    return tuple(Note(tuple(people[s] for s in students), text) for text, students in groups.items())


def _mistakes(stats: Stats, people: Mapping[str, Person], say: Texts, mistakes: MistakeTexts) -> list[Shared]:
    rows = []
    for group in stats.mistakes:
        names = []
        for id in group.key:
            text = mistakes(id, say)
            params = group.sample.message.params if group.sample.message else {}
            if text is None:
                names.append(say.rich("concept", {"text": id}))
            else:
                known_one = told(text, params, say)
                names.append(known_one.name_inside if names else known_one.name)
        rows.append(
            Shared(
                name=_joined(names, say),
                exercise=title(group.sample.exercise, say),
                people=tuple(people[s] for s in group.students),
                share=len(group.students) / max(1, len(stats.scores)),
                free=not group.costs,
            )
        )
    return rows


def _clusters(stats: Stats, people: Mapping[str, Person], say: Texts) -> list[Shared]:
    return [
        Shared(
            name=message(group.sample.message, say) or concept(group.sample, say),
            exercise=title(group.sample.exercise, say),
            people=tuple(people[s] for s in group.students),
            share=len(group.students) / max(1, len(stats.scores)),
        )
        for group in stats.clusters
    ]


def _joined(names: list[Rich], say: Texts) -> Rich:
    """Several indistinguishable mistakes: "A or B"."""
    out: Rich = ()
    for i, name in enumerate(names):
        out = (*out, *(say.rich("class.or") if i else ()), *name)
    return out


def _exercises(results: Sequence[SubmissionResult], stats: Stats, say: Texts) -> list[ExerciseRows]:
    rows = []
    for exercise in say.assignment.exercises:
        items = [i for i in stats.items if i.exercise == exercise.id]
        if items:
            earned = [r.points_of(exercise.id) for r in results if r.graded]
            possible = sum(i.sample.max_points for i in items)
            rows.append(
                ExerciseRows(
                    title=title(exercise.id, say),
                    mean=say.points(sum(earned) / max(1, len(earned))),
                    max_points=say.points(possible),
                    tests=tuple(_test(i, say) for i in items),
                )
            )
    return rows


def _test(item: Item, say: Texts) -> TestRow:
    value = item.discrimination
    if value is None:
        said = say(f"class.undefined.{item.undefined}")
    else:
        said = say.number(value, 2).replace("-", "−")
    return TestRow(
        concept=concept(item.sample, say),
        right=f"{round(100 * item.share)} %" if item.judged else "–",
        share=item.share,
        credited=item.credited,
        discrimination=said,
        doubtful=value is not None and value < 0,
        seconds=say("class.seconds", s=round(item.seconds, 3)),
    )


def _about(test: TestResult, say: Texts) -> Rich:
    colon = say.rich("class.colon")
    said = message(test.message, say)
    return (*concept(test, say), *((*colon, *said) if said else ()))


def _row(result: SubmissionResult, person: Person, say: Texts) -> StudentRow:
    earned = [result.points_of(e.id) for e in say.assignment.exercises]
    possible = [
        sum(x.max_points for x in result.tests if x.exercise == e.id) for e in say.assignment.exercises
    ]
    ours = sum(x.verdict in (Verdict.GRADER_FAULT, Verdict.NOT_MEASURED) for x in result.tests)
    return StudentRow(
        person=person,
        score=say.points(result.score) if result.graded else "",
        parts=tuple(say.points(p) if result.graded else "" for p in earned),
        full=tuple(result.graded and bool(m) and p >= m for p, m in zip(earned, possible, strict=True)),
        notes=len(result.problems) + len(result.flags) + ours,
    )
