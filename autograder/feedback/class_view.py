"""The class as its page tells it, in one language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from autograder.feedback.class_data import (
    Alike,
    ClassView,
    ExerciseRows,
    Look,
    Note,
    Person,
    Shared,
    TestRow,
)
from autograder.feedback.class_rows import about_columns, absent_row, row, row_tags
from autograder.feedback.class_stats import Item, Stats, class_stats
from autograder.feedback.mistake_texts import MistakeTexts, told
from autograder.feedback.pictures.histogram import histogram
from autograder.feedback.rich import Rich
from autograder.feedback.similar import similar
from autograder.feedback.texts import Texts
from autograder.feedback.wording import concept, flag_for_instructor, message, problem, title
from autograder.gradebook.grades import StudentGrade
from autograder.gradebook.look import SERIOUS_FIRST, how_serious, to_look_at
from autograder.results import SubmissionResult, TestResult

HARDEST = 10  # tests that come first


def class_view(
    results: Sequence[SubmissionResult],
    say: Texts,
    mistakes: MistakeTexts,
    links: Mapping[str, str],
    waiting: Sequence[str] = (),
    grades: Sequence[StudentGrade] = (),
) -> ClassView:
    """Everything the page says. `links`: student -> address of their page, relative to the class page;
    `waiting`: students who are not among the results yet; `grades`: of all people of the class, where they are
    known."""
    results = sorted(results, key=lambda r: (r.student.casefold(), r.student))
    stats = class_stats(results, say.assignment)
    people = {r.student: Person(r.student, links.get(r.student, "")) for r in results}
    decided = {one.result.student for one in grades if one.result and one.decided}
    tags = row_tags(results, stats, decided)
    about = about_columns(grades)
    told = {one.result.student if one.result else one.name: one for one in grades}
    absent = [one for one in grades if one.result is None and one.name not in people]
    rows = [row(r, people[r.student], say, tags[r.student], about, told.get(r.student)) for r in results]
    rows += [absent_row(one, links.get(one.name, ""), say, about) for one in absent]
    exercises = tuple(_exercises(results, stats, say))
    tests = [test for one in exercises for test in one.tests]
    alike = similar(results, say.assignment, stats.outputs)
    return ClassView(
        count=len(stats.scores) + sum(one.decided for one in absent),
        without=stats.without + sum(not one.decided for one in absent),
        waiting=tuple(Person(name, links.get(name, "")) for name in waiting),
        mean=say.number(round(stats.mean, 1)),
        median=say.number(round(stats.median, 1)),
        complete=stats.bins[-1],
        distribution=histogram(stats.bins, say),
        mistakes=tuple(_mistakes(stats, people, say, mistakes)),
        clusters=tuple(_clusters(stats, people, say)),
        alone=stats.alone,
        exercises=exercises,
        hardest=tuple(sorted((t for t in tests if t.missed), key=lambda t: t.share)[:HARDEST]),
        faults=_notes(((s, _about(x, say)) for s, x in stats.faults), people),
        undecided=_notes(((s, _about(x, say)) for s, x in stats.undecided), people),
        look=tuple(_look([r for r in results if r.student not in decided], people, say)),
        flags=_notes(
            ((s, flag_for_instructor(f, say)) for s, f in stats.flags if f.id not in SERIOUS_FIRST), people
        ),
        alike=tuple(
            Alike(tuple(people[s] for s in one.students), one.symbols, one.nodes, one.wrong) for one in alike
        ),
        problems=_notes(((s, problem(p, say)) for s, p in stats.problems), people),
        empty=_notes(((s, problem(p, say)) for s, p in stats.empty), people),
        students=tuple(rows),
        columns=tuple(title(e.id, say) for e in say.assignment.exercises),
        about=about,
        isolation=tuple(dict.fromkeys(r.isolation for r in results)),
        kits=tuple(dict.fromkeys(r.kit.version for r in results)),
    )


def _look(results: Sequence[SubmissionResult], people: Mapping[str, Person], say: Texts) -> list[Look]:
    asked = [(r, to_look_at(r.flags)) for r in results]
    asked = sorted((pair for pair in asked if pair[1]), key=lambda pair: how_serious(pair[1]))
    return [Look(people[r.student], tuple(flag_for_instructor(f, say) for f in found)) for r, found in asked]


def _notes(said: Iterable[tuple[str, Rich]], people: Mapping[str, Person]) -> tuple[Note, ...]:
    """The same thing about several students is said once."""
    groups: dict[Rich, dict[str, None]] = {}
    for student, text in said:
        groups.setdefault(text, {})[student] = None
    return tuple(Note(tuple(people[s] for s in students), text) for text, students in groups.items())


def _mistakes(stats: Stats, people: Mapping[str, Person], say: Texts, mistakes: MistakeTexts) -> list[Shared]:
    rows = []
    for i, group in enumerate(stats.mistakes):
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
                tag=f"m{i}",
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
            tag=f"c{i}",
        )
        for i, group in enumerate(stats.clusters)
    ]


def _joined(names: list[Rich], say: Texts) -> Rich:
    """Several indistinguishable mistakes: "A or B"."""
    out: Rich = ()
    for i, name in enumerate(names):
        out = (*out, *(say.rich("class.or") if i else ()), *name)
    return out


def _exercises(results: Sequence[SubmissionResult], stats: Stats, say: Texts) -> list[ExerciseRows]:
    rows = []
    tags = {item.id: f"t{i}" for i, item in enumerate(stats.items)}
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
                    tests=tuple(_test(i, tags[i.id], say) for i in items),
                )
            )
    return rows


def _test(item: Item, tag: str, say: Texts) -> TestRow:
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
        exercise=title(item.exercise, say),
        tag=tag,
        missed=len(item.missed),
    )


def _about(test: TestResult, say: Texts) -> Rich:
    colon = say.rich("class.colon")
    said = message(test.message, say)
    return (*concept(test, say), *((*colon, *said) if said else ()))
