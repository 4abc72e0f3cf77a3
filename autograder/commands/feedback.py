"""autograder feedback: the pages again, in another language or after a change of their texts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from autograder.commands.closing import line
from autograder.commands.errors import WRONG_USE, errors_in_words, stop
from autograder.commands.grades import assignment_of
from autograder.commands.options import Course, Lang
from autograder.commands.outcome import told_of
from autograder.commands.screen import console
from autograder.feedback.texts import texts
from autograder.gradebook.grades import class_grades
from autograder.gradebook.record import read_record, write_record
from autograder.store import Store


def feedback(
    out: Annotated[Path, typer.Argument(help="The folder of results that `autograder grade` wrote.")],
    lang: Lang = None,
    course: Course = None,
) -> None:
    """Write the pages again from the results, without grading."""
    with errors_in_words():
        from autograder.feedback import render

        the_assignment = assignment_of(out, course)
        language = the_assignment.language(lang)
        if not any(out.glob("*/result.json")):
            raise stop(
                f"{out}: holds no results. Give the folder that `autograder grade --out` wrote.", WRONG_USE
            )
        say = texts(language, the_assignment)
        grades = class_grades(out, the_assignment)
        with Store(out, []).locked():
            done = render(out, the_assignment, language, grades=grades)
            if record := read_record(out):
                told = told_of(grades, say)
                write_record(out, record.model_copy(update={"lang": language, "told": told}))
        screen = console()
        for path in done.unreadable:
            screen.print(Text(say("screen.unreadable", path=str(path)), style="yellow"))
        for student in done.plain:
            screen.print(Text(say("screen.plain_page", student=student), style="yellow"))
        line(screen, say("screen.class_page"), out / "class.html")
