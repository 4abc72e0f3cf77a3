"""autograder collect: a platform's bulk download -> a class folder that `grade` takes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from autograder.assignment import load_assignment
from autograder.collect.collect import Collected, collect
from autograder.collect.platforms import PLATFORMS
from autograder.commands.closing import names, show_course
from autograder.commands.errors import SOME_NOT_GRADED, WRONG_USE, errors_in_words, stop
from autograder.commands.options import Course, Lang
from autograder.commands.screen import console
from autograder.feedback.safe import visible
from autograder.feedback.texts import Texts, texts
from autograder.gradebook.class_settings import course_of, remember_course
from autograder.gradebook.students import UNSURE

NAMES = ("auto", *(p.name for p in PLATFORMS))
SHOWN = 10  # of one kind


def collect_command(
    downloads: Annotated[
        list[Path], typer.Argument(help="Zips or folders of a platform's bulk download; the newest last.")
    ],
    out: Annotated[Path, typer.Option(help="The class folder to fill.")] = Path("class"),
    roster: Annotated[
        Path | None, typer.Option(help="CSV of who is in the class, as any platform exports it.")
    ] = None,
    lms: Annotated[str, typer.Option(help=f"One of {', '.join(NAMES)}.")] = "auto",
    course: Course = None,
    lang: Lang = None,
    as_json: Annotated[bool, typer.Option("--json", help="What came of it as JSON.")] = False,
) -> None:
    """Put a platform's bulk download into a class folder. Run it again with a newer download at any time."""
    with errors_in_words():
        if lms not in NAMES:
            raise stop(f"--lms {lms}: no such platform; name one of {', '.join(NAMES)}", WRONG_USE)
        named = course or course_of(out)
        assignment = load_assignment(named)
        done = collect(downloads, out, assignment, roster, lms)
        remember_course(out, named)
        if as_json:
            typer.echo(json.dumps(_plain(done), indent=1, ensure_ascii=False))
        else:
            say = texts(assignment.language(lang), assignment)
            if course is None:
                show_course(console(), named, say)
            _show(console(), done, out, say)
        if done.strange:
            raise typer.Exit(SOME_NOT_GRADED)


def _plain(done: Collected) -> dict[str, object]:
    return {
        "downloads": [{"name": n, "platform": p, "files": files} for n, p, files in done.recognised],
        "students": [vars(one) for one in done.students],
        "files": [vars(one) for one in done.entries],
        "new_attempts": done.new,
        "times_not_understood": done.unread,
        "times_changed": [{"student": s, "before": old, "now": new} for s, old, new in done.moved],
    }


def _show(out: Console, done: Collected, folder: Path, say: Texts) -> None:
    def line(what: str, text: str, style: str = "") -> None:
        out.print(Text(f"{say(what) if what else '':<12}{text}", style=style), soft_wrap=True)

    for name, platform, files in done.recognised:
        out.print(Text(say("collect.download", name=name, platform=platform, n=files)))
    count = Counter(one.outcome for one in done.entries)
    with_work = {one.student for one in done.entries if one.outcome in ("taken", "question")}
    nothing = [one.student for one in done.students if one.student not in with_work]
    people = say("collect.students_in", n=len(done.students), with_work=len(with_work), new=done.new)
    line("collect.students", people)
    if nothing:
        line("", say("collect.nothing", n=len(nothing), names=names(nothing)))
    taken = count["taken"] + count["question"]
    files_in = say("collect.files_in", taken=taken, kept=count["attempt"], left=count["left_out"])
    line("collect.files", files_in)
    for why, n in Counter(one.why for one in done.entries if one.outcome == "left_out").most_common(SHOWN):
        line("", say("collect.left_out", n=n, why=why))
    if done.zone:
        line(
            "collect.times",
            say("collect.times_zone", zone=done.zone, deadline=say.assignment.deadline is not None),
        )
    if done.unread:
        line(
            "",
            say("collect.times_unread", n=len(done.unread), text=visible(done.unread[0], limit=60)),
            "yellow",
        )
    if done.moved:
        student, before, now = done.moved[0]
        line(
            "",
            say("collect.times_moved", n=len(done.moved), student=student, before=before, now=now),
            "yellow",
        )
    unsure = sum(one.time_from in UNSURE for one in done.students)
    if unsure:
        line("", say("collect.times_unsure", n=unsure))
    marked = [one.student for one in done.students if one.late and not one.submitted_at]
    if marked:
        line("collect.late", say("collect.late_without_time", n=len(marked), names=names(marked)))
    if not any(one.in_roster for one in done.students):
        line("collect.names", say("collect.names_of_download"))
    for one in done.strange[:SHOWN]:
        line("collect.question", visible(f"{one.student}: {one.question}", limit=400), "yellow")
    if len(done.strange) > SHOWN:
        line("", say("collect.more_questions", n=len(done.strange) - SHOWN), "yellow")
    line("collect.class", say("collect.class_in", out=str(folder)))
