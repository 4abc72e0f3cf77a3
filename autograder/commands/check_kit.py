"""autograder check-kit: does the kit itself hold what it promises?"""

from __future__ import annotations

from collections.abc import Callable

import typer
from rich.console import Console

from autograder.assignment import Assignment, load_assignment
from autograder.commands.errors import SOME_NOT_GRADED, errors_in_words
from autograder.commands.options import Course
from autograder.commands.ready import check_assignment
from autograder.commands.screen import console


def check_kit(
    course: Course = None,
) -> None:
    """Check the kit: every stub fails, every solution passes, every known mistake is caught and named."""
    with errors_in_words():
        from autograder.diagnosis.confusion import confusion, show
        from autograder.kitcheck import CHECKS, once_more

        assignment = load_assignment(course)
        check_assignment(assignment)
        out = console()
        with out.status("Planting every known mistake …"):
            found = confusion(assignment)
        planted = show(found, out)
        failed = [title for title, check in CHECKS.items() if not _holds(title, check, assignment, out)]
        if failed or not planted:  # a busy moment of this machine fails once, a fault of the kit again
            out.print("Once more, what did not hold:")
            once_more()
            planted = planted or show(confusion(assignment), out)
            failed = [title for title in failed if not _holds(title, CHECKS[title], assignment, out)]
        if failed or not planted:
            out.print("[red]Not everything holds.[/red]")
            raise typer.Exit(SOME_NOT_GRADED)


def _holds(
    title: str, check: Callable[[Assignment], list[str]], assignment: Assignment, out: Console
) -> bool:
    """Whether a check finds nothing; says so."""
    with out.status(f"{title} …"):
        problems = check(assignment)
    out.print(f"{'[red]no [/red]' if problems else '[green]yes[/green]'}  {title}")
    for problem in problems:
        out.print(f"       {problem}", markup=False)
    return not problems
