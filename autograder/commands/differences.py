"""Two gradings of a class in the terminal: who gains and loses, by which tests, and what has changed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from pydantic import JsonValue
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from autograder.assignment import Assignment
from autograder.commands.regraded import Regraded
from autograder.course import Language
from autograder.diagnosis.texts import mistake_words
from autograder.feedback.rich import plain
from autograder.feedback.safe import visible
from autograder.feedback.texts import Texts, texts
from autograder.feedback.wording import concept
from autograder.gradebook.changes import Change, TestChange, by_test, ordered
from autograder.gradebook.table import number

MOST = 40  # students and tests that are shown; --json has all
TESTS = 3  # of one student
CAUSES = {
    "submission": "screen.cause.submission",
    "seed": "screen.cause.seed",
    "course": "screen.cause.course",
    "hidden": "screen.cause.hidden",
    "model": "screen.cause.model",
    "packages": "screen.cause.packages",
    "version": "screen.cause.version",
}


def show_changes(
    out: Console,
    found: Sequence[Change],
    same: int,
    assignment: Assignment,
    lang: Language,
    *,
    because: bool = True,
) -> None:
    """Prints them. same: students whose points are the same; because: also what graded differently."""
    say = texts(lang, assignment)
    gained, lost = (sum(one.gain * sign > 0 for one in found) for sign in (1, -1))
    out.print(
        Text(say("screen.changes", gained=gained, lost=lost, other=len(found) - gained - lost, same=same))
    )
    if not found:
        return
    shared = {one.causes for one in found}
    once = found[0].causes if len(shared) == 1 and len(found) > 1 else ()
    if once and because:
        out.print(Text(_because(once, say)))
    table = _table(*(say(f"screen.column.{c}") for c in ("student", "before", "now", "change", "why")))
    for one in found[:MOST]:
        table.add_row(
            escape(visible(one.student)),
            _number(one.before),
            _number(one.now),
            _signed(one.gain),
            _why(one, say, because and not once),
        )
    out.print(table)
    if found[MOST:]:
        out.print(Text(say("screen.more_students", n=len(found) - MOST)))
    rows = by_test(found)
    if len(found) > 1 and rows:
        table = _table(*(say(f"screen.column.{c}") for c in ("test", "gain", "lose", "change")))
        for test, parts in rows[:MOST]:
            up, down = (sum(p.gain * sign > 0 for p in parts) for sign in (1, -1))
            total = _signed(sum((p.gain for p in parts), Decimal(0)))
            table.add_row(Text(f"{test.exercise}: {plain(concept(test, say))}"), str(up), str(down), total)
        out.print(table)


def show_regraded(out: Console, again: Regraded, assignment: Assignment, lang: Language) -> None:
    """What has come of it that the kit, or what it grades by, is not what it was; nothing where it is."""
    if again.count:
        say = texts(lang, assignment)
        causes: list[JsonValue] = [say(CAUSES[cause]) for cause in again.causes]
        out.print(Text(say("screen.regraded", n=again.count, causes=causes)))
        same = again.count - len(again.changes)
        show_changes(out, ordered(again.changes), same, assignment, lang, because=False)


def changes_json(found: Sequence[Change], same: int) -> str:
    """The same for programs: all students, all tests. null: no grade."""
    told = {"same": same, "changed": [_plain(one) for one in found]}
    return json.dumps(told, indent=1, ensure_ascii=False)


def _plain(one: Change) -> dict[str, Any]:
    return {
        "student": one.student,
        "before": None if one.before is None else float(one.before),
        "now": None if one.now is None else float(one.now),
        "gain": float(one.gain),
        "causes": list(one.causes),
        "tests": [
            {
                "id": part.test.id,
                "exercise": part.test.exercise,
                "before": float(part.before),
                "now": float(part.now),
                "mistakes": list(part.mistakes),
            }
            for part in one.tests
        ],
    }


def _table(first: str, *others: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column(first, max_width=60)
    for name in others[:-1]:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(others[-1], justify="left" if len(others) > 3 else "right")
    return table


def _because(causes: Sequence[str], say: Texts) -> str:
    return say("screen.because", causes=[say(CAUSES[cause]) for cause in causes])


def _why(one: Change, say: Texts, because: bool) -> Text:
    """The tests that moved most, and what graded differently."""
    parts = sorted(one.tests, key=lambda part: -abs(part.gain))
    lines = [_test(part, say) for part in parts[:TESTS]]
    if parts[TESTS:]:
        lines.append(say("screen.more_tests", n=len(parts) - TESTS))
    if one.causes and because:
        lines.append(_because(one.causes, say))
    if one.before is None or one.now is None:
        lines.insert(0, say("screen.no_grade_before" if one.before is None else "screen.no_grade_now"))
    return Text(visible("\n".join(lines), lines=True))


def _test(part: TestChange, say: Texts) -> str:
    words = [mistake_words(m, say.lang, say.assignment) for m in part.mistakes]
    names = [w.name.replace("`", "") for w in words if w]
    mistake = f" ({' / '.join(names)})" if names else ""
    return f"{_signed(part.gain)}  {part.test.exercise}: {plain(concept(part.test, say))}{mistake}"


def _number(points: Decimal | None) -> str:
    return "–" if points is None else number(points)


def _signed(points: Decimal) -> str:
    return ("−" if points < 0 else "+") + number(abs(points))
