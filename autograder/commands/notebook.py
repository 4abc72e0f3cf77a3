"""autograder notebook …: the exercises as a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.assignment import load_assignment
from autograder.checks.marks import check_points
from autograder.commands.errors import WRONG_USE, errors_in_words, stop
from autograder.commands.options import Course, Lang
from autograder.store import write_text

app = typer.Typer(help="The exercises as a notebook for nbgrader.", no_args_is_help=True)


@app.callback()
def notebook() -> None:
    """The exercises as a notebook for nbgrader."""


@app.command()
def build(
    course_folder: Annotated[
        Path | None,
        typer.Argument(metavar="[COURSE]", help="An nbgrader course: its source/ gets the notebook."),
    ] = None,
    lang: Lang = None,
    course: Course = None,
) -> None:
    """Write the notebook: into an nbgrader course, or (without COURSE) the students' one in exercises/."""
    from autograder.nbgrader.build.notebook import build as source_of
    from autograder.nbgrader.build.notebook import released
    from autograder.nbgrader.command import NbgraderFailed
    from autograder.release.selfcheck import FACTS, ORIGINALS, exercises_of, facts, originals

    with errors_in_words():
        the_assignment = load_assignment(course)
        check_points(the_assignment)
        source = source_of(the_assignment, the_assignment.language(lang), course)
        if course_folder is None:
            path = the_assignment.exercises_folder / the_assignment.notebook
            write_text(path.with_name(FACTS), facts(the_assignment))
            given = originals(exercises_of(the_assignment), the_assignment, own=True)
            write_text(path.with_name(ORIGINALS), given)
            try:
                write_text(path, released(source, the_assignment))
            except NbgraderFailed as e:
                raise stop(str(e), WRONG_USE) from None
            typer.echo(f"{path}: the students' notebook, without solutions")
            return
        if not course_folder.is_dir():
            advice = "`nbgrader quickstart NAME` makes a course"
            raise stop(f"{course_folder}: no such folder; {advice}", WRONG_USE)
        name = the_assignment.content.notebook
        path = course_folder / "source" / name / the_assignment.notebook
        write_text(path, source)
        typer.echo(f"{path}: with solutions and hidden tests, not for students")
        typer.echo(f"Next, in {course_folder}: nbgrader generate_assignment {name}")
