"""autograder diff: two folders of results compared, student by student and test by test."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.assignment import load_assignment
from autograder.commands.differences import changes_json, show_changes
from autograder.commands.errors import WRONG_USE, errors_in_words, stop
from autograder.commands.options import Course, Lang
from autograder.commands.screen import console
from autograder.gradebook.changes import changes
from autograder.results import SubmissionResult
from autograder.store import all_results


def diff(
    old: Annotated[Path, typer.Argument(help="A folder that `autograder grade --out` wrote.")],
    new: Annotated[Path, typer.Argument(help="Another one, of the same class.")],
    lang: Lang = None,
    course: Course = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Who gains and who loses points between two gradings, by which tests, and why. Exit code 0 either way."""
    with errors_in_words():
        assignment = load_assignment(course)
        language = assignment.language(lang)
        before, now = results_in(old), results_in(new)
        found = changes(before, now)
        same = len(before.keys() | now.keys()) - len(found)
        if as_json:
            typer.echo(changes_json(found, same))
        else:
            show_changes(console(), found, same, assignment, language)


def results_in(folder: Path) -> dict[str, SubmissionResult]:
    """Student -> result. Stops where there is none."""
    found, unreadable = all_results(folder)
    if not found:
        what = f"{unreadable[0]} is no result of this kit" if unreadable else "holds no results"
        raise stop(f"{folder}: {what}. Give the folder that `autograder grade --out` wrote.", WRONG_USE)
    return {result.student: result for result in found.values()}
