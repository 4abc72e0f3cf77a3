"""autograder feedback: the pages again, in another language or after a change of their texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.assignment import load_assignment
from autograder.commands.plainly import WRONG_USE, plainly, stop
from autograder.course import Language


def feedback(
    out: Annotated[Path, typer.Argument(help="The folder of results that `autograder grade` wrote.")],
    lang: Annotated[
        Language | None, typer.Option(help="Language of the pages. Default: course.toml's.")
    ] = None,
    course: Annotated[Path | None, typer.Option(help="Another course.toml.")] = None,
) -> None:
    """Write the pages again from the results, without grading."""
    with plainly():
        from autograder.feedback import render
        from autograder.feedback.safe import visible

        the_assignment = load_assignment(course)
        language = the_assignment.language(lang)
        if not any(out.glob("*/result.json")):
            raise stop(
                f"{out}: holds no results. Give the folder that `autograder grade --out` wrote.", WRONG_USE
            )
        done = render(out, the_assignment, language)
        for path in done.unreadable:
            typer.echo(f"Not read    {visible(str(path))}: is no result of this kit. Grade again.")
        for student in done.plain:
            typer.echo(
                f"Plain page  {visible(student)}: their whole page cannot be written; it has the points only."
            )
        typer.echo(f"Class page  {out / 'class.html'}")
