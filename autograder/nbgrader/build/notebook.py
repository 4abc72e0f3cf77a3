"""The notebook in nbgrader's source form, and the students' version of it as nbgrader itself makes it."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autograder.assignment import Assignment
from autograder.course import Exercise, Language
from autograder.nbgrader.build.public import helpers_of, tests_of, tools
from autograder.nbgrader.build.sources import given, said, solution_cell
from autograder.nbgrader.command import nbgrader

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
Cell = dict[str, Any]


def build(course: Assignment, lang: Language, file: Path | None = None) -> str:
    """The source notebook as JSON text: same kit, same text. file: a course.toml that is not the kit's own, for
    nbgrader's autograde; it is named in the hidden tests only."""
    text = said(course, lang)
    title = text["notebook.title"].format(title=course.course.title_in(lang))
    top = [title, text.get("notebook.sizes", ""), text["notebook.first"]]
    cells = [
        _markdown("title", "\n\n".join(part.strip() for part in top if part) + "\n"),
        _code("setup", given(course) + "\n\n" + tools(text, course), locked=True),
    ]
    cells[-1]["metadata"]["jupyter"] = {"source_hidden": True}
    sheets: set[str] = set()
    for number, exercise in enumerate(course.exercises, 1):
        cells.append(_markdown(f"about-{exercise.id}", _about(exercise, exercise.title[lang], number, text)))
        public = ""
        for symbol in course.own_symbols(exercise.id):
            cells.append(_code(symbol, solution_cell(symbol, course, lang), solution=True))
            public = _public(exercise, text, course, first=exercise.sheet not in sheets)
        sheets.add(exercise.sheet)
        cells.append(
            _code(f"test-{exercise.id}", public + _graded(exercise, text, file), points=exercise.points)
        )
    cells.append(_markdown("end", text["notebook.end"].format(notebook=course.notebook)))
    notebook = {
        "cells": cells,
        "metadata": {"kernelspec": KERNEL, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _about(exercise: Exercise, title: str, number: int, text: Mapping[str, str]) -> str:
    """The chapter in short, what to write, and three folded hints."""
    heading = text["notebook.heading"].format(
        number=number, title=title, points=f"{exercise.points:g}", section=exercise.section
    )
    hints = [text[f"hint.{exercise.id}.{i}"] for i in (1, 2, 3) if f"hint.{exercise.id}.{i}" in text]
    folded = "\n".join(
        f"<details><summary>{text['notebook.hint'].format(number=i)}</summary>{_html(hint)}</details>"
        for i, hint in enumerate(hints, 1)
    )
    about = text.get(f"about.{exercise.id}", "").strip()
    return "\n\n".join(part for part in (heading, about, folded) if part)


def _html(text: str) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace("*", "&#42;").replace("_", "&#95;")
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escaped)


def _public(exercise: Exercise, text: Mapping[str, str], course: Assignment, *, first: bool) -> str:
    tests = tests_of(exercise, text, course)
    helpers = helpers_of(exercise.sheet, course) if first else ""
    parts = [f"# {text['notebook.public']}", *([helpers] if helpers else []), *(t.text for t in tests)]
    if not tests:
        return ""
    call = "run_public_tests(\n" + "".join(f"    {t.name},\n" for t in tests) + ")\n"
    return "\n\n\n".join([*parts, call])


def _graded(exercise: Exercise, text: Mapping[str, str], file: Path | None) -> str:
    """What only the instructor's version has: the hidden tests, ending in a number (partial credit)."""
    of = f", {str(file.resolve())!r}" if file else ""
    return (
        f"# {text['notebook.graded'].format(points=f'{exercise.points:g}')}\n"
        "### BEGIN HIDDEN TESTS\n"
        "from autograder.nbgrader.kernel import score\n"
        f"float(score({exercise.id!r}, globals(){of}))\n"
        "### END HIDDEN TESTS"
    )


def _markdown(id: str, text: str) -> Cell:
    return {"cell_type": "markdown", "id": id, "metadata": {}, "source": _lines(text)}


def _code(
    id: str, text: str, *, solution: bool = False, locked: bool = False, points: float | None = None
) -> Cell:
    metadata: dict[str, Any] = {
        "schema_version": 3,
        "grade_id": id,
        "grade": points is not None,
        "locked": locked or points is not None,
        "solution": solution,
        "task": False,
    }
    if points is not None:
        metadata["points"] = points
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": id,
        "metadata": {"nbgrader": metadata},
        "outputs": [],
        "source": _lines(text),
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def released(source: str, course: Assignment) -> str:
    """The students' notebook: what `nbgrader generate_assignment` makes of the source notebook."""
    with tempfile.TemporaryDirectory() as folder:
        root, name = Path(folder).resolve(), course.content.notebook
        path = root / "source" / name / course.notebook
        path.parent.mkdir(parents=True)
        path.write_text(source, encoding="utf-8")
        # No configuration of this person's or machine's: the notebook is the same everywhere.
        nbgrader(
            "generate_assignment", name, f"--course-dir={root}", cwd=root, extra={"JUPYTER_NO_CONFIG": "1"}
        )
        return (root / "release" / name / course.notebook).read_text(encoding="utf-8")


def students_version(source: str) -> list[tuple[str, str]]:
    """(name, text) of every cell, solutions and hidden tests taken out: to see what is stale."""
    found = []
    for cell in json.loads(source)["cells"]:
        text = "".join(cell["source"])
        text = re.sub(
            r"^([ \t]*)### BEGIN SOLUTION.*?### END SOLUTION$",
            r"\1# YOUR CODE HERE\n\1raise NotImplementedError()",
            text,
            flags=re.S | re.M,
        )
        text = re.sub(r"^### BEGIN HIDDEN TESTS.*?### END HIDDEN TESTS$", "", text, flags=re.S | re.M)
        found.append((str(cell["id"]), text.rstrip("\n")))
    return found
