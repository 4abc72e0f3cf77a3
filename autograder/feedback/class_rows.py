"""The table of all students on the class page: a row for each, and what the rows can be filtered by."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from autograder.feedback.class_data import Person, StudentRow
from autograder.feedback.class_stats import Stats
from autograder.feedback.texts import Texts
from autograder.gradebook.grades import StudentGrade
from autograder.gradebook.look import to_look_at
from autograder.results import SubmissionResult, Verdict


def row_tags(
    results: Sequence[SubmissionResult], stats: Stats, decided: Collection[str] = ()
) -> dict[str, str]:
    """Student -> what the table can be filtered by: m0 (the first of the mistakes), c0 (of the clusters), t0 (of
    the tests, failed), look (a person must), none (no grade)."""
    found: dict[str, list[str]] = {r.student: [] for r in results}
    for letter, groups in (("m", stats.mistakes), ("c", stats.clusters)):
        for i, group in enumerate(groups):
            for student in group.students:
                found[student].append(f"{letter}{i}")
    for i, item in enumerate(stats.items):
        for student in item.missed:
            found[student].append(f"t{i}")
    for result in results:
        look = bool(to_look_at(result.flags)) and result.student not in decided
        found[result.student] += ["look"] * look + ["none"] * (not result.graded)
    return {student: " ".join(some) for student, some in found.items()}


def about_columns(grades: Sequence[StudentGrade]) -> tuple[str, ...]:
    """What the class has beside points: columns that say something of somebody."""
    wanted = []
    if any(g.student.name not in ("", g.name) for g in grades):
        wanted.append("name")
    if any(g.student.section for g in grades):
        wanted.append("section")
    if any(g.grade is not None and g.grade.late_days for g in grades):
        wanted.append("late")
    if any(g.grade is not None and g.grade.final != g.grade.score for g in grades):
        wanted.append("final")
    return tuple(wanted)


def _of_person(one: StudentGrade | None, about: Sequence[str], say: Texts) -> tuple[str, ...]:
    if one is None:
        return ("",) * len(about)
    grade = one.grade
    said = {
        "name": one.student.name,
        "section": one.student.section,
        "late": str(grade.late_days) if grade is not None and grade.late_days else "",
        "final": say.points(float(grade.final)) if grade is not None else "",
    }
    return tuple(said[name] for name in about)


def absent_row(one: StudentGrade, link: str, say: Texts, about: Sequence[str]) -> StudentRow:
    """Somebody of the class of whom there is no result. link: to the page about what a person decided, or ""."""
    many = len(say.assignment.exercises)
    told = _of_person(one, about, say)
    tags = "" if one.decided else "none"
    return StudentRow(Person(one.name, link), "", ("",) * many, (False,) * many, 0, tags, told)


def row(
    result: SubmissionResult,
    person: Person,
    say: Texts,
    tags: str,
    about: Sequence[str],
    one: StudentGrade | None,
) -> StudentRow:
    earned = [result.points_of(e.id) for e in say.assignment.exercises]
    score = result.score
    if one is not None and one.grade is not None and one.decided:  # as grades.csv has it
        earned = [float(one.grade.exercises[e.id]) for e in say.assignment.exercises]
        score = float(one.grade.score)
    possible = [
        sum(x.max_points for x in result.tests if x.exercise == e.id) for e in say.assignment.exercises
    ]
    ours = sum(x.verdict in (Verdict.GRADER_FAULT, Verdict.NOT_MEASURED) for x in result.tests)
    return StudentRow(
        person=person,
        score=say.points(score) if result.graded else "",
        parts=tuple(say.points(p) if result.graded else "" for p in earned),
        full=tuple(result.graded and bool(m) and p >= m for p, m in zip(earned, possible, strict=True)),
        notes=len(result.problems) + len(to_look_at(result.flags)) + ours,
        tags=tags,
        about=_of_person(one, about, say),
    )
