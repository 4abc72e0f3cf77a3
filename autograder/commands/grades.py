"""autograder grades: the grades again from the results, by the rules and decisions as they are now."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from autograder.assignment import Assignment, load_assignment
from autograder.commands.before import AsWritten, Changed, changed_grades, show_changed
from autograder.commands.closing import line, show_to_look_at, show_unknown, show_untimed
from autograder.commands.errors import WRONG_USE, errors_in_words, stop
from autograder.commands.options import Course, Lang, Students
from autograder.commands.outcome import told_of, write_table
from autograder.commands.screen import console
from autograder.commands.table import grades_json
from autograder.course import Language, duration
from autograder.feedback.texts import texts
from autograder.gradebook.grades import StudentGrade, class_files, class_grades
from autograder.gradebook.record import read_record, write_record
from autograder.store import RESULT, Store


def grades(
    out: Annotated[Path, typer.Argument(help="The folder of results that `autograder grade` wrote.")] = Path(
        "feedback"
    ),
    students: Students = None,
    course: Course = None,
    lang: Lang = None,
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking.")] = False,
    since: Annotated[
        str | None,
        typer.Option(metavar="TIME", help='Show only who was graded since then: "2h", "1d" or a date.'),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All grades as JSON; nothing is written.")] = False,
) -> None:
    """Work the grades out again (late work, extensions, overrides.csv) without grading. Shows what changes."""
    with errors_in_words():
        assignment = assignment_of(out, course)
        language = assignment.language(lang or language_of(out, assignment))
        after = moment(since) if since else None
        found = class_grades(out, assignment, students)
        if not any(one.result for one in found):
            raise stop(
                f"{out}: holds no results. Give the folder that `autograder grade --out` wrote.", WRONG_USE
            )
        before = AsWritten.read(out)
        if as_json:
            typer.echo(grades_json([one for one in found if _since(one, after)], before.finals))
            return
        say = texts(language, assignment)
        screen = console()
        changed = changed_grades(found, before, say)
        show_changed(screen, [one for one in changed if _since(one.now, after)], before.gone(found), say)
        show_to_look_at(screen, [one for one in found if _since(one, after)], say)
        show_untimed(screen, found, say)
        show_unknown(screen, class_files(out, read_record(out), assignment, students), found, say)
        if changed and before.finals and not yes:
            ask(say("screen.write"), say("screen.not_written_now"))
        write(out, found, changed, assignment, language, anew=language != before.lang)
        line(screen, say("screen.grades"), out / "grades.csv")


def write(
    out: Path,
    found: list[StudentGrade],
    changed: list[Changed],
    assignment: Assignment,
    lang: Language,
    *,
    anew: bool,
) -> None:
    """grades.csv, run.json, the class page, and the pages that say something else now (anew: all of them).
    Raises StoreError."""
    from autograder.feedback import render

    say = texts(lang, assignment)
    told = {one.now.name for one in changed}
    as_before = {
        one.result.student
        for one in found
        if one.result and one.folder and one.name not in told and (one.folder / "feedback.html").exists()
    }
    with Store(out, []).locked():
        write_table(out, found, assignment, lang)
        render(out, assignment, lang, () if anew else as_before, grades=found)
        if record := read_record(out):
            write_record(out, record.model_copy(update={"lang": lang, "told": told_of(found, say)}))


def ask(question: str, otherwise: str) -> None:
    """Goes on with a yes only."""
    if not sys.stdin.isatty():
        raise stop(otherwise, WRONG_USE)
    if not typer.confirm(question):
        typer.echo(otherwise)
        raise typer.Exit(0)


def moment(text: str) -> datetime:
    """A time, or how long ago. Stops where it is neither."""
    try:
        return datetime.now().astimezone() - duration(text)
    except ValueError:
        try:
            return datetime.fromisoformat(text).astimezone()
        except ValueError:
            raise stop(
                f'--since {text!r}: is no time; write it like "2h", "1d" or 2027-03-01T23:59', WRONG_USE
            ) from None


def assignment_of(out: Path, course: Path | None) -> Assignment:
    """The assignment that is named, else the one by which the folder was graded. Raises AssignmentError."""
    record = read_record(out)
    if course is None and record is not None and record.course is not None:
        course = out / record.course
    return load_assignment(course)


def language_of(out: Path, assignment: Assignment) -> Language | None:
    """The language of the pages as they are now."""
    record = read_record(out)
    return record.lang if record and record.lang in assignment.languages else None


def _since(one: StudentGrade, after: datetime | None) -> bool:
    """Whether somebody's result was written after that."""
    if after is None:
        return True
    try:
        return one.folder is not None and (one.folder / RESULT).stat().st_mtime >= after.timestamp()
    except OSError:
        return False
