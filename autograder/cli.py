"""`autograder …`: puts the commands together. What they do is in commands/, one file each."""

from __future__ import annotations

import gc
import sys
from typing import Annotated

import typer

from autograder import __version__
from autograder.commands import (
    bench,
    check_kit,
    collect,
    diff,
    doctor,
    export,
    feedback,
    grade,
    grades,
    gradescope,
    notebook,
    release,
)
from autograder.commands.errors import own_fault

app = typer.Typer(
    name="autograder",
    help="Grades a class of submissions that nobody trusts, with hidden tests.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=lambda asked: _version(asked), is_eager=True, help="Say it.")
    ] = False,
) -> None:
    """Grades a class of submissions that nobody trusts, with hidden tests."""


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"autograder {__version__}")
        raise typer.Exit(0)


app.command("collect")(collect.collect_command)
app.command()(grade.grade)
app.command()(grades.grades)
app.command()(diff.diff)
app.command()(export.export)
app.command("gradescope-run", hidden=True)(gradescope.gradescope_run)
app.command()(doctor.doctor)
app.command("check-kit")(check_kit.check_kit)
app.command()(bench.bench)
app.command()(feedback.feedback)
app.command()(release.release)
app.add_typer(notebook.app, name="notebook")


def main() -> None:
    """Runs the command line. Exit codes: 0, 1 something could not be graded, 2 wrong use, 3 no isolation."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a console that cannot print a name still shows the rest
    sys.excepthook = own_fault
    try:
        typer.main.get_command(app)()
    finally:
        gc.freeze()  # or Python looks through all that nbgrader has imported before it ends (0.3 s)


if __name__ == "__main__":
    main()
