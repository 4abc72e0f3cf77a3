"""autograder grades: the grades again from the results, by the rules and decisions as they are now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from autograder.assignment import Assignment, load_assignment
from autograder.commands.outcome import grades_by_result, write_table
from autograder.commands.plainly import WRONG_USE, plainly, stop
from autograder.commands.screen import console
from autograder.commands.table import grades_json
from autograder.course import Language
from autograder.feedback.grade_words import grade_words
from autograder.feedback.rich import plain
from autograder.feedback.texts import texts
from autograder.gradebook.grades import StudentGrade, class_grades
from autograder.gradebook.record import read_record
from autograder.gradebook.table import number
from autograder.gradebook.tables import TableError, read_table


def grades(
    out: Annotated[Path, typer.Argument(help="The folder of results that `autograder grade` wrote.")] = Path(
        "feedback"
    ),
    students: Annotated[
        Path | None, typer.Option(help="Another students.csv than the one beside the class.")
    ] = None,
    course: Annotated[Path | None, typer.Option(help="Another course.toml.")] = None,
    lang: Annotated[Language | None, typer.Option(help="Language of the pages.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="All grades as JSON; nothing is written.")] = False,
) -> None:
    """Work the grades out again (late work, extensions, overrides.csv) without grading. Shows what changes."""
    with plainly():
        from autograder.feedback import render

        assignment = assignment_of(out, course)
        language = lang or language_of(out, assignment)
        found = class_grades(out, assignment, students)
        if not any(one.result for one in found):
            raise stop(
                f"{out}: holds no results. Give the folder that `autograder grade --out` wrote.", WRONG_USE
            )
        if as_json:
            typer.echo(grades_json(found))
            return
        screen = console()
        before = finals(out / "grades.csv")
        changed = [one for one in found if before.get(one.name) != _final(one)]
        _show(screen, changed, before, assignment, language)
        if before and changed and not yes and not typer.confirm("Write this?"):
            screen.print("Nothing was written.")
            raise typer.Exit(0)
        write_table(out, found, assignment, language)
        render(out, assignment, language, grades=grades_by_result(found))
        screen.print(f"Grades      {escape(str(out / 'grades.csv'))}", soft_wrap=True)


def assignment_of(out: Path, course: Path | None) -> Assignment:
    """The assignment that is named, else the one by which the folder was graded. Raises AssignmentError."""
    record = read_record(out)
    if course is None and record is not None and record.course is not None:
        course = out / record.course
    return load_assignment(course)


def language_of(out: Path, assignment: Assignment) -> Language:
    """The language of the pages as they are now."""
    record = read_record(out)
    return assignment.language(record.lang if record and record.lang in assignment.languages else None)


def finals(path: Path) -> dict[str, str]:
    """Student -> `final` of a grades.csv; {} when there is none that can be read."""
    try:
        return {row["student"].lstrip("'"): row.get("final", "") for row in read_table(path).records()}
    except (TableError, KeyError):
        return {}


def _final(one: StudentGrade) -> str:
    return "" if one.grade is None else number(one.grade.final)


def _show(
    out: Console,
    changed: Sequence[StudentGrade],
    before: dict[str, str],
    assignment: Assignment,
    lang: Language,
) -> None:
    if not changed:
        out.print("No grade changes.")
        return
    say = texts(lang, assignment)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("Student", no_wrap=True, max_width=30)
    table.add_column("Before", justify="right")
    table.add_column("Now", justify="right")
    table.add_column("Why", ratio=1)
    for one in changed:
        words = grade_words(one.grade, say)
        why = " ".join(plain(r) for r in words.reasons) if words else ""
        table.add_row(escape(one.name), before.get(one.name) or "–", _final(one) or "–", escape(why))
    out.print(table)
