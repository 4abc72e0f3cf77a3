"""autograder grade: a folder of submissions -> grades, a page per student, a page about the class."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Annotated, NoReturn

import typer

from autograder.assignment import load_assignment
from autograder.batch.pool import cores
from autograder.batch.run import Options, grading
from autograder.commands.before import AsWritten, other_finals, show_changed, show_other_course
from autograder.commands.closing import line, show_course, show_end, show_guessable
from autograder.commands.differences import show_regraded
from autograder.commands.errors import INTERRUPTED, SOME_NOT_GRADED, WRONG_USE, errors_in_words, stop
from autograder.commands.nbgrader import NbgraderListener, open_course, results_of
from autograder.commands.options import Course, Lang
from autograder.commands.outcome import Outcome, Recording
from autograder.commands.pages import Pages
from autograder.commands.ready import check_assignment
from autograder.commands.regraded import Regraded
from autograder.commands.screen import Screen, console
from autograder.commands.table import grades_json, show
from autograder.feedback.texts import texts
from autograder.gradebook.class_settings import course_of
from autograder.gradebook.grades import ClassFiles
from autograder.gradebook.record import Late


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
    lang: Lang = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Grade only this student. May be given again.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Grade also what has not changed.")] = False,
    course: Course = None,
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
    with errors_in_words():
        of_class = course_of(submissions) if course is None and submissions else None
        course = course or of_class
        the_assignment = load_assignment(course)
        language = the_assignment.language(lang)
        say = texts(language, the_assignment)
        if (submissions is None) == (nbgrader is None):
            raise stop("give either the folder of submissions or --nbgrader COURSE", WRONG_USE)
        if nbgrader:  # has a rule for late work of its own; taken off once is enough
            the_assignment = the_assignment.model_copy(update={"deadline": None})
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
        outcome = Outcome(options, language, course, files)
        screen = console(stderr=as_json)
        show_course(screen, of_class, say)
        before = AsWritten.read(out)
        show_other_course(screen, before.course, outcome.course_file, say)
        signal.signal(signal.SIGTERM, _as_interrupt)
        with ExitStack() as held:
            with (
                Screen(screen, 1 if scheduler else jobs or cores(), say) as listener,
                Pages(listener, the_assignment, language, files) as pages,
            ):
                again = Regraded(NbgraderListener(pages, bridge) if bridge else pages)
                graded = held.enter_context(grading(options, Recording(again, outcome)))
            if bridge:
                seconds = bridge.lateness(graded)
                outcome.write(graded, pages.done_for, pages.plain)
                said = bridge.write(graded, out)
                late = {
                    name: Late(seconds=seconds.get(name), penalty=one.penalty, points=one.points)
                    for name, one in said.items()
                }
                outcome = replace(outcome, late=late)
            grades = outcome.write(graded, pages.done_for, pages.plain)
        if as_json:
            typer.echo(grades_json(grades))
        if not graded.broken:
            show(screen, graded.asked_for(options), the_assignment, language, grades)
            show_regraded(screen, again, the_assignment, language)
            kept = {row.student for row in graded.rows if not row.fresh}
            if changed := other_finals(grades, before, kept, say):
                show_changed(screen, changed, (), say)
        show_end(screen, graded, options, grades, files, say)
        for what, where in bridge.written().items() if bridge else ():
            line(screen, what, where)
        show_guessable(screen, say)
        if graded.interrupted:
            raise typer.Exit(INTERRUPTED)
        if not all(row.in_order for row in graded.asked_for(options)):
            raise typer.Exit(SOME_NOT_GRADED)


def _as_interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
