"""autograder grade: a folder of submissions -> grades, a page per student, a page about the class."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.markup import escape

from autograder.assignment import Assignment, load_assignment
from autograder.batch.pool import cores
from autograder.batch.run import Class, Options, grade_class
from autograder.commands.differences import show_regraded
from autograder.commands.nbgrader import Watching, open_course, results_of
from autograder.commands.outcome import Outcome
from autograder.commands.pages import Pages
from autograder.commands.plainly import INTERRUPTED, SOME_NOT_GRADED, WRONG_USE, plainly, stop
from autograder.commands.ready import check_assignment
from autograder.commands.regraded import Regraded
from autograder.commands.screen import Screen, console
from autograder.commands.table import grades_json, show, show_to_look_at
from autograder.course import Language
from autograder.gradebook.grades import ClassFiles, StudentGrade


def grade(
    submissions: Annotated[
        Path | None, typer.Argument(help="Folder with one folder (or zip, or notebook) per student.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where results and pages go.", show_default="feedback")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Submissions graded at the same time. Default: one per core.")
    ] = None,
    lang: Annotated[
        Language | None, typer.Option(help="Language of the pages. Default: course.toml's.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Grade only this student. May be given again.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Grade also what has not changed.")] = False,
    course: Annotated[Path | None, typer.Option(help="Another course.toml.")] = None,
    unsafe_no_isolation: Annotated[
        bool, typer.Option("--unsafe-no-isolation", help="Run code without protection. Only code you trust!")
    ] = False,
    no_timing: Annotated[
        bool, typer.Option("--no-timing", help="Leave out the tests that measure speed.")
    ] = False,
    scheduler: Annotated[
        str | None, typer.Option(metavar="URL", help="Grade on a Dask cluster: tcp://host:8786")
    ] = None,
    nbgrader: Annotated[
        Path | None,
        typer.Option(metavar="COURSE", help="Grade what an nbgrader course collected, into its gradebook."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="All grades as JSON; the rest goes to stderr.")
    ] = False,
    assignment: Annotated[
        str | None, typer.Option(help="With --nbgrader: the assignment's name. Default: the notebook's.")
    ] = None,
) -> None:
    """Grade a class. Run it again at any time: only what has changed is graded."""
    with plainly():
        the_assignment = load_assignment(course)
        language = the_assignment.language(lang)
        if (submissions is None) == (nbgrader is None):
            raise stop("give either the folder of submissions or --nbgrader COURSE", WRONG_USE)
        name = assignment or the_assignment.content.notebook
        check_assignment(the_assignment)
        bridge = open_course(nbgrader, name, the_assignment, language) if nbgrader else None
        if out is None:
            out = results_of(nbgrader, name) if nbgrader else Path("feedback")
        files = ClassFiles.read(submissions, the_assignment)
        options = Options(
            submissions=submissions or Path(),
            out=out,
            found=tuple(bridge.submissions()) if bridge else None,
            assignment=the_assignment,
            jobs=jobs,
            only=tuple(only or ()),
            force=force,
            isolated=not unsafe_no_isolation,
            timing=not no_timing,
            scheduler=scheduler,
        )
        screen = console(stderr=as_json)
        signal.signal(signal.SIGTERM, _as_interrupt)
        with (
            Screen(screen, jobs or cores()) as listener,
            Pages(listener, the_assignment, language, files) as pages,
        ):
            again = Regraded(Watching(pages, bridge) if bridge else pages)
            graded = grade_class(options, again)
        outcome = Outcome(options, language, course, files)
        if bridge:
            late = bridge.lateness(graded)
            outcome.write(graded, pages.done_for, pages.plain)
            penalties = bridge.write(graded, out)
            outcome = replace(
                outcome, machine={name: (late[name], penalties.get(name, 0.0)) for name in late}
            )
        grades = outcome.write(graded, pages.done_for, pages.plain)
        if as_json:
            typer.echo(grades_json(grades))
        if not graded.broken:
            show(screen, graded.asked_for(options), the_assignment, language)
            show_regraded(screen, again, the_assignment, language)
            show_to_look_at(screen, grades, the_assignment, language)
        _closing(screen, graded, options)
        _say_unknown(screen, files, grades)
        for what, where in bridge.written().items() if bridge else ():
            _line(screen, what, where)
        _say_if_guessable(screen, the_assignment)
        if graded.interrupted:
            raise typer.Exit(INTERRUPTED)
        if not all(row.in_order for row in graded.asked_for(options)):
            raise typer.Exit(SOME_NOT_GRADED)


def _closing(out: Console, graded: Class, options: Options) -> None:
    folder = options.out
    if graded.broken:
        out.print(f"[red]Stopped: nothing could be graded.[/red] {escape(graded.broken)}")
        out.print("`autograder doctor` shows what is wrong with this machine.")
    if graded.interrupted:
        out.print("[yellow]Stopped.[/yellow] What was graded is kept; the same command goes on from here.")
    rows = graded.asked_for(options)
    if waiting := [row.student for row in rows if row.waiting]:
        out.print(f"[yellow]Not graded yet: {len(waiting)}[/yellow] ({_names(waiting)}).")
    reason = "The reason is in the table."
    if without := [row.student for row in rows if not row.graded and not row.waiting]:
        out.print(f"[red]Without a grade: {len(without)}[/red] ({_names(without)}). {reason}")
    if look := [row.student for row in rows if row.graded and not row.waiting and not row.in_order]:
        out.print(f"[yellow]To be looked at: {len(look)}[/yellow] ({_names(look)}). {reason}")
    _line(out, "Class page", folder / "class.html")
    _line(out, "Grades", folder / "grades.csv")
    if any(row.result is not None for row in graded.rows):
        _line(out, "Students", folder / "<name>" / "feedback.html")


def _line(out: Console, what: str, where: Path | str) -> None:
    out.print(f"{what:<11} {escape(str(where))}", soft_wrap=True)


def _names(students: Sequence[str]) -> str:
    return escape(", ".join(students[:8]) + (" …" if len(students) > 8 else ""))


def _say_unknown(out: Console, files: ClassFiles, grades: Sequence[StudentGrade]) -> None:
    known = {one.name for one in grades}
    if unknown := sorted({o.student for o in files.overrides} - known):
        out.print(f"[yellow]overrides.csv names nobody of this class: {_names(unknown)}.[/yellow]")


def _say_if_guessable(out: Console, assignment: Assignment) -> None:
    if assignment.course.seed.startswith("change me"):
        out.print(
            "[yellow]course.toml still has the seed it came with: everybody can work out the hidden inputs. "
            "Change it before you grade in earnest.[/yellow]"
        )


def _as_interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
