"""The class in the terminal: who has how many points, and what is missing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from pydantic import JsonValue
from rich import box
from rich.console import Console, Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from autograder.assignment import Assignment
from autograder.batch.rows import WAITING, Row
from autograder.course import Language
from autograder.diagnosis.texts import mistake_words
from autograder.feedback.rich import plain
from autograder.feedback.safe import visible
from autograder.feedback.texts import Texts, texts
from autograder.feedback.wording import flag_for_instructor
from autograder.gradebook.grades import StudentGrade
from autograder.gradebook.look import kind, to_look_at
from autograder.gradebook.table import number
from autograder.gradebook.tables import safe
from autograder.results import Problem, SubmissionResult, TestResult, Verdict

ALL_UP_TO = 40  # rows; of a larger class only those that need a look


def said(problems: Sequence[Problem], say: Texts) -> str:
    """Problems in words."""
    return " ".join(say(f"problem.{p.id}", **p.params) for p in problems)


def show(
    out: Console,
    rows: Sequence[Row],
    assignment: Assignment,
    lang: Language,
    grades: Sequence[StudentGrade] = (),
) -> None:
    """Prints the table. Who only waits for another run is not in it. grades: where any of them is not what was
    earned, the table has a column for what counts."""
    say = texts(lang, assignment)
    shown = [row for row in rows if row.graded or _problems(row)]
    if len(shown) > ALL_UP_TO:
        shown = [row for row in shown if _problems(row)]
    counts = _counts(grades, say)
    if shown:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        table.add_column(say("screen.column.student"), no_wrap=True, max_width=30)
        table.add_column(say("screen.column.points"), justify="right", no_wrap=True)
        if counts:
            table.add_column(say("screen.column.counts"), justify="right", no_wrap=True)
        table.add_column(say("screen.column.missing"), ratio=1)
        for row in shown:
            final = [counts.get(row.student, "")] * bool(counts)
            table.add_row(escape(row.student), _points(row, say), *final, _missing(row, say))
        out.print(table)
    scores = [row.result.score for row in rows if row.graded and row.result is not None]
    if len(rows) > ALL_UP_TO and scores:
        mean = say.number(sum(scores) / len(scores), 1)
        out.print(Text(say("screen.mean", n=len(scores), mean=mean)))


def _counts(grades: Sequence[StudentGrade], say: Texts) -> dict[str, str]:
    """Name -> what counts; {} where that is what was earned, for everybody."""
    finals = {one.name: one for one in grades if one.grade is not None}
    if all(
        one.grade and one.result and number(one.grade.final) == number(one.grade.score)
        for one in finals.values()
    ):
        return {}
    return {name: say.points(float(one.grade.final)) for name, one in finals.items() if one.grade}


def _points(row: Row, say: Texts) -> Text:
    """Of how many is said where it is not all of the course's: with --no-timing there are fewer."""
    if not row.graded or row.result is None:
        return Text(say("screen.none"), style="red")
    points = say.points(row.result.score)
    if row.result.max_score == sum(e.points for e in say.assignment.exercises):
        return Text(points)
    return Text(say("screen.points_of", points=points, of=say.points(row.result.max_score)))


def _problems(row: Row) -> list[Problem]:
    """What is to be said of this row; that the run was stopped is said once for all of them."""
    return [p for p in row.problems if p.id != WAITING]


def _missing(row: Row, say: Texts) -> Group:
    parts = []
    if problems := _problems(row):
        parts.append(Text(said(problems, say), style="yellow" if row.graded else "red"))
    if row.graded and row.result is not None:
        parts += _by_exercise(row.result, say)
        parts += _flags(row.result, say)
    return Group(*parts)


def _by_exercise(result: SubmissionResult, say: Texts) -> list[Text]:
    """Lines: files that do not load; "layer_norm: a known mistake"; what is not written or waits."""
    broken = dict.fromkeys(
        _broken({"cell": f.params["cell"], "cell_line": f.params["line"]}, say)
        for f in result.flags
        if f.id == "notebook.syntax" and {"cell", "line"} <= f.params.keys()
    )
    explained: list[str] = []
    wrong: list[str] = []
    unwritten: list[str] = []
    waiting: list[str] = []
    for exercise in say.assignment.exercises:
        lost = [x for x in result.tests if x.exercise == exercise.id and x.points < x.max_points]
        ids = {x.message.id if x.message else "" for x in lost}
        if not lost:
            continue
        if "not_written" in ids and ids <= {"not_written", "needs_first", "needs_substance"}:
            unwritten.append(exercise.id)
        elif ids <= {"needs_first", "needs_file"}:
            waiting.append(exercise.id)
        elif ids <= _DOES_NOT_LOAD | {"needs_first", "needs_file"}:
            said = [x.message for x in lost if x.message and x.message.id in _DOES_NOT_LOAD]
            broken |= dict.fromkeys(_broken(message.params, say) for message in said)
        else:
            why = _why(lost, say)
            explained += [f"{exercise.id}: {why}"] * bool(why)
            wrong += [exercise.id] * (not why)
    lines = [Text(text) for text in broken]
    lines += [Text(visible(text)) for text in explained]
    lines += [Text(", ".join(wrong))] * bool(wrong)
    if len(unwritten) + len(waiting) == len(say.assignment.exercises):
        return [Text(say("screen.nothing_written"))]
    lines += [Text(say("screen.not_written", exercises=", ".join(unwritten)))] * bool(unwritten)
    lines += [Text(say("screen.waiting", exercises=", ".join(waiting)))] * bool(waiting)
    return lines


# What says that work was found where it was not expected.
_WHERE_FROM = {"read_as", "taken_from", "also_written", "empty_below"}


def _flags(result: SubmissionResult, say: Texts) -> list[Text]:
    """Where the work was found, and the first of each kind that a person should look at."""
    found = [visible(say(f"flag.{f.id}", **f.params)) for f in result.flags if f.id in _WHERE_FROM]
    lines = [Text(text, style="cyan") for text in found]
    for _, same in groupby(to_look_at(result.flags), kind):  # there may be many: the class page has them all
        first, *others = same
        more = say("screen.more_on_page", n=len(others)) if others else ""
        lines.append(Text(visible(plain(flag_for_instructor(first, say))) + more, style="yellow"))
    return lines


_DOES_NOT_LOAD = {"load.syntax", "load.failed"}


def _broken(params: Mapping[str, JsonValue], say: Texts) -> str:
    """The file and the line at which Python cannot load it."""
    cell = params.get("cell")
    line = params.get("cell_line") if cell else params.get("line")
    return visible(say("screen.broken", file=params.get("file") or "", cell=cell, line=line))


def _why(lost: Sequence[TestResult], say: Texts) -> str:
    """What is known of the reason: the mistake's title, or how it ended."""
    mistakes = list(dict.fromkeys(m for x in lost for m in x.mistakes))
    if mistakes:
        words = [mistake_words(m, say.lang, say.assignment) for m in mistakes]
        return " / ".join(w.name.replace("`", "") if w else m for w, m in zip(words, mistakes, strict=True))
    return say("screen.does_not_end") if any(x.verdict is Verdict.TIMEOUT for x in lost) else ""


def grades_json(grades: Sequence[StudentGrade], before: Mapping[str, str] | None = None) -> str:
    """What grades.csv says, for programs: one object a student. Points are numbers; null: no grade.

    before: name as grades.csv has it -> what counted when it was written; then told beside `final`.
    """
    told = [_plain_grade(one) for one in grades]
    if before is not None:
        told = [{**one, "before": _points_in(before.get(safe(one["student"]), ""))} for one in told]
    return json.dumps(told, indent=1, ensure_ascii=False)


def _points_in(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


def _plain_grade(one: StudentGrade) -> dict[str, Any]:
    grade = one.grade
    return {
        "student": one.name,
        "score": None if grade is None else float(grade.score),
        "max_score": None if grade is None else float(grade.max_score),
        "late_days": None if grade is None else grade.late_days,
        "penalty": None if grade is None else float(grade.penalty),
        "final": None if grade is None else float(grade.final),
        "exercises": {} if grade is None else {e: float(points) for e, points in grade.exercises.items()},
        "why": [] if grade is None else [m.model_dump() for m in grade.why],
        "overrides": []
        if grade is None
        else [{**vars(o), "points": float(o.points)} for o in grade.overrides],
        "problems": [p.model_dump() for p in one.problems],
        "flags": [] if one.result is None else [f.model_dump() for f in to_look_at(one.result.flags)],
    }
