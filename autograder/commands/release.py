"""autograder release: what students get, as a folder and a zip."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from autograder.assignment import load_assignment
from autograder.checks.marks import check_points
from autograder.commands.errors import WRONG_USE, errors_in_words, stop
from autograder.commands.options import Course, Lang
from autograder.commands.screen import console
from autograder.intake.stubs import check_stubs


def release(
    out: Annotated[Path, typer.Option(help="Where the folder and the zip go.")] = Path("release"),
    lang: Lang = None,
    course: Course = None,
) -> None:
    """Pack what students get, and prove that no solution and no hidden test is in it."""
    from autograder.release.pack import CannotWrite, Leaked
    from autograder.release.pack import release as pack
    from autograder.release.selfcheck import Stale

    with errors_in_words():
        the_assignment = load_assignment(course)
        check_stubs(the_assignment)
        check_points(the_assignment)
        try:
            packed = pack(the_assignment, out, the_assignment.language(lang))
        except (Leaked, Stale, CannotWrite) as e:
            raise stop(str(e), WRONG_USE) from None
        screen = console()
        for name in sorted({_shown(name) for name in packed}):
            inside = [n for n in packed if _shown(n) == name]
            size = sum(len(packed[n]) for n in inside)
            what = f"{len(inside)} files, " if name.endswith("/") else ""
            screen.print(f"  {escape(name):<34} {what}{_size(size)}", highlight=False)
        screen.print(
            f"In these {len(packed)} files there is no solution, no hidden test and no known mistake."
        )
        screen.print(f"Folder  {escape(str(out / the_assignment.content.notebook))}", soft_wrap=True)
        screen.print(f"Zip     {escape(str(out / the_assignment.content.notebook))}.zip", soft_wrap=True)


def _shown(name: str) -> str:
    """exercises/norm.py as it is; lab/training/data.py as lab/training/."""
    parts = name.split("/")
    alone = len(parts) == 1 or (parts[0] == "exercises" and len(parts) == 2)
    return name if alone else "/".join(parts[:-1]) + "/"


def _size(size: int) -> str:
    return f"{size / 2**20:.1f} MB" if size >= 2**20 else f"{max(1, size // 2**10)} kB"
