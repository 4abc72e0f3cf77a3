"""autograder collect: a platform's bulk download -> a class folder that `grade` takes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from autograder.assignment import load_assignment
from autograder.collect.collect import Collected, collect
from autograder.collect.platforms import PLATFORMS
from autograder.commands.plainly import SOME_NOT_GRADED, WRONG_USE, plainly, stop
from autograder.commands.screen import console

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
    course: Annotated[Path | None, typer.Option(help="Another course.toml.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="What came of it as JSON.")] = False,
) -> None:
    """Put a platform's bulk download into a class folder. Run it again with a newer download at any time."""
    with plainly():
        if lms not in NAMES:
            raise stop(f"--lms {lms}: no such platform; name one of {', '.join(NAMES)}", WRONG_USE)
        done = collect(downloads, out, load_assignment(course), roster, lms)
        if as_json:
            typer.echo(json.dumps(_plain(done), indent=1, ensure_ascii=False))
        else:
            _show(console(), done, out)
        if done.strange:
            raise typer.Exit(SOME_NOT_GRADED)


def _plain(done: Collected) -> dict[str, object]:
    return {
        "downloads": [{"name": n, "platform": p, "files": files} for n, p, files in done.recognised],
        "students": [vars(one) for one in done.students],
        "files": [vars(one) for one in done.entries],
        "new_attempts": done.new,
    }


def _show(out: Console, done: Collected, folder: Path) -> None:
    for name, platform, files in done.recognised:
        out.print(f"{escape(name)}: {platform}, {files} files")
    count = Counter(one.outcome for one in done.entries)
    with_work = {one.student for one in done.entries if one.outcome in ("taken", "question")}
    nothing = [one.student for one in done.students if one.student not in with_work]
    out.print(
        f"Students    {len(done.students)}, {len(with_work)} of them with work; {done.new} new attempts"
    )
    if nothing:
        out.print(f"            nothing came from {len(nothing)}: {escape(_some(nothing))}")
    out.print(
        f"Files       {count['taken'] + count['question']} taken, {count['attempt']} of other attempts kept, "
        f"{count['left_out']} left out"
    )
    for why, n in Counter(one.why for one in done.entries if one.outcome == "left_out").most_common(SHOWN):
        out.print(f"            {n} left out: {escape(why)}")
    if done.zone:
        out.print(f"Times       without a zone were taken in {escape(done.zone)}")
    unsure = sum(one.time_from == "archive time" for one in done.students)
    if unsure:
        out.print(
            f"            {unsure} are the archive's, which may be when it was packed: nothing is taken off for "
            "them. Give the platform's table as --roster, or clear `time_from` in students.csv."
        )
    marked = [one.student for one in done.students if one.late and not one.submitted_at]
    if marked:
        out.print(f"Late        {len(marked)} are marked as late, without a time: {escape(_some(marked))}")
    if not any(one.in_roster for one in done.students):
        out.print("Names       are those of the download; with --roster everybody of the class has a row")
    for one in done.strange[:SHOWN]:
        out.print(f"[yellow]Question    {escape(one.student)}: {escape(one.question)}[/yellow]")
    if len(done.strange) > SHOWN:
        out.print(f"[yellow]            and {len(done.strange) - SHOWN} more, in students.csv[/yellow]")
    out.print(f"Class       {escape(str(folder))}, students.csv and collected.csv in it", soft_wrap=True)


def _some(names: list[str]) -> str:
    return ", ".join(names[:8]) + (" …" if len(names) > 8 else "")
