"""autograder check-kit: does the kit itself hold what it promises?"""

from __future__ import annotations

import typer

from autograder.commands.plainly import SOME_NOT_GRADED, plainly
from autograder.commands.ready import check_course
from autograder.commands.screen import console
from autograder.course import load_course


def check_kit() -> None:
    """Check the kit: every stub fails, every solution passes, every known mistake is caught and named."""
    with plainly():
        from autograder.kitcheck import CHECKS
        from autograder.mistakes.confusion import confusion, show

        course = load_course()
        check_course(course)
        out = console()
        with out.status("Planting every known mistake …"):
            found = confusion(course)
        failed = 0 if show(found, out) else 1
        for title, check in CHECKS.items():
            with out.status(f"{title} …"):
                problems = check()
            failed += bool(problems)
            out.print(f"{'[red]no [/red]' if problems else '[green]yes[/green]'}  {title}")
            for problem in problems:
                out.print(f"       {problem}", markup=False)
        if failed:
            out.print("[red]Not everything holds.[/red]")
            raise typer.Exit(SOME_NOT_GRADED)
