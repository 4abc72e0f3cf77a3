"""A raw result -> the grade that counts. Results stay; rules can be changed without grading again.

All of it is a pure function of the result, what is known of the student, course.toml's [deadline] and [grades],
and what a person has decided (overrides.csv). Each rule is one small function; `why` says what each of them did.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

from autograder.assignment import Assignment
from autograder.course import Deadline, GradeRules, duration
from autograder.gradebook.overrides import Override
from autograder.gradebook.record import Late
from autograder.gradebook.students import Student
from autograder.results import Message, SubmissionResult

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
LATE = {"day": "grade.late_days", "hour": "grade.late_hours"}


@dataclass(frozen=True)
class Lateness:
    """How late work came. late: beyond deadline, extension and grace; None when nobody knows when it came.

    days: begun days of it. charged: begun units that cost something. closed: it came after the hard end.
    """

    late: timedelta | None
    days: int | None = None
    charged: int = 0
    closed: bool = False
    why: tuple[Message, ...] = ()


@dataclass(frozen=True)
class Grade:
    """In points. score: what was earned; penalty: taken off for late work; final: what counts, rounded once.

    exercises: id -> points, with overrides. overrides: what a person has decided; before: id -> points without
    that, and "" -> what would count if nobody had decided the whole. why: what the rules did.
    """

    score: Decimal
    max_score: Decimal
    late_days: int | None
    penalty: Decimal
    final: Decimal
    exercises: Mapping[str, Decimal]
    overrides: tuple[Override, ...] = ()
    before: Mapping[str, Decimal] = field(default_factory=dict)
    why: tuple[Message, ...] = field(default=())


def final_grade(
    result: SubmissionResult,
    student: Student,
    assignment: Assignment,
    overrides: Sequence[Override] = (),
) -> Grade:
    """The grade of one result. student: with the time at which this result's work came."""
    rules = assignment.grades
    before = {e.id: earned(result, e.id, rules) for e in assignment.exercises}
    decided = [o for o in overrides if o.exercise in before]
    exercises = {**before, **{o.exercise: o.points for o in decided}}
    score, most = sum(exercises.values(), Decimal(0)), _decimal(result.max_score)
    late = lateness(assignment.deadline, student, student.when)
    penalty = penalty_of(assignment.deadline, late, score, most)
    final = rounded(max(Decimal(0), score - penalty), rules)
    for whole in (o for o in overrides if not o.exercise):
        decided.append(whole)
        before[""] = final
        final = rounded(whole.points, rules)
    why = (*follow_through(result, rules), *late.why)
    if penalty:
        why = (*why, Message(id="grade.penalty", params={"points": float(penalty)}))
    return Grade(score, most, late.days, penalty, final, exercises, tuple(decided), before, why)


def machine_grade(result: SubmissionResult, assignment: Assignment, said: Late) -> Grade:
    """The grade of a result for which another system (nbgrader) says how late it came, what that costs, and
    what a person has given there."""
    plain = assignment.model_copy(update={"deadline": None})
    grade = final_grade(result, Student(result.student), plain)
    by_hand = {e.id: _decimal(said.points[e.id]) for e in assignment.exercises if e.id in said.points}
    exercises = {**grade.exercises, **by_hand}
    days = None if said.seconds is None else max(0, math.ceil(said.seconds / DAY.total_seconds()))
    score, penalty = sum(exercises.values(), Decimal(0)), _decimal(said.penalty)
    final = rounded(max(Decimal(0), score - penalty), assignment.grades)
    return replace(grade, exercises=exercises, score=score, late_days=days, penalty=penalty, final=final)


def earned(result: SubmissionResult, exercise: str, rules: GradeRules) -> Decimal:
    """The points of one exercise; follow-through credit counts as much as [grades] says."""
    share = _decimal(rules.follow_through)
    tests = [t for t in result.tests if t.exercise == exercise]
    return sum((_decimal(t.points) * (share if t.follow_through else 1) for t in tests), Decimal(0))


def follow_through(result: SubmissionResult, rules: GradeRules) -> tuple[Message, ...]:
    """What is to be said where follow-through credit does not count in full."""
    lost = [t for t in result.tests if t.follow_through and t.points]
    if rules.follow_through == 1 or not lost:
        return ()
    params = {"share": rules.follow_through, "points": sum(t.points for t in lost)}
    return (Message(id="grade.follow_through", params={**params}),)


def due(deadline: Deadline, student: Student) -> datetime:
    """When this student's work is due. Raises ValueError for an extension that is neither date nor duration."""
    if not student.extension:
        return deadline.at
    try:
        return deadline.at + duration(student.extension)
    except ValueError:
        at = datetime.fromisoformat(student.extension)
        return at if at.tzinfo else at.replace(tzinfo=deadline.at.tzinfo)


def lateness(deadline: Deadline | None, student: Student, submitted_at: datetime | None) -> Lateness:
    """How late work came, after extension, grace and slip days."""
    if deadline is None:
        return Lateness(None)
    why = []
    until = due(deadline, student)
    if student.extension:
        why.append(Message(id="grade.extension", params={"until": until.isoformat()}))
    if submitted_at is None:
        return Lateness(None, why=(*why, Message(id="grade.no_time")))
    late = max(timedelta(), submitted_at - until - deadline.grace)
    days = math.ceil(late / DAY)
    if deadline.hard is not None and submitted_at > max(deadline.hard, until):
        hard = Message(id="grade.closed", params={"at": max(deadline.hard, until).isoformat()})
        return Lateness(late, days, closed=True, why=(*why, hard))
    free = min(days, max(0, deadline.slip_days - int(student.slip_days or 0)))
    if free:
        why.append(Message(id="grade.slip_days", params={"days": free}))
    unit = DAY if deadline.unit == "day" else HOUR
    charged = math.ceil(max(timedelta(), late - free * DAY) / unit)
    if charged:
        why.append(Message(id=LATE[deadline.unit], params={"n": charged}))
    return Lateness(late, days, charged, why=tuple(why))


def penalty_of(deadline: Deadline | None, late: Lateness, score: Decimal, most: Decimal) -> Decimal:
    """Points that are taken off: so much for each begun unit, at most the cap, and never below the floor."""
    if deadline is None or not (late.charged or late.closed):
        return Decimal(0)
    if late.closed:
        return score
    of = {"raw": score / 100, "max": most / 100, "points": Decimal(1)}[deadline.of]
    off = _decimal(deadline.rate) * of * late.charged
    if deadline.cap is not None:
        off = min(off, _decimal(deadline.cap) * of)
    return min(off, score - score * _decimal(deadline.floor) / 100)


def rounded(points: Decimal, rules: GradeRules) -> Decimal:
    """Half up, to a multiple of `step`, then to `digits` decimals."""
    if rules.step is not None:
        step = _decimal(rules.step)
        points = (points / step).quantize(Decimal(1), ROUND_HALF_UP) * step
    return points.quantize(Decimal(1).scaleb(-rules.digits), ROUND_HALF_UP)


def _decimal(value: float) -> Decimal:
    """The number as it is written, without binary dust: 0.1 + 0.2 is 0.3."""
    return Decimal(repr(round(value, 6)))
