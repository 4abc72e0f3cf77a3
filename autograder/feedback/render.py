"""All pages of a folder of results, in any language, without grading again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from pydantic import ValidationError

from autograder.course import Course, Language
from autograder.feedback.class_page import class_html
from autograder.feedback.student_page import student_pages
from autograder.results import SubmissionResult


@dataclass(frozen=True)
class Rendered:
    """What came of it: students with pages, and result files that could not be read."""

    students: int
    unreadable: tuple[Path, ...]


def render(
    out: Path, course: Course, lang: Language, without: Collection[str] = (), waiting: Sequence[str] = ()
) -> Rendered:
    """Writes feedback.html and feedback.md beside every OUT/<student>/result.json, and OUT/class.html.

    `without`: students whose pages are left as they are; `waiting`: those who have not been graded yet.
    Raises OSError.
    """
    results: list[SubmissionResult] = []
    unreadable: list[Path] = []
    links: dict[str, str] = {}
    for path in sorted(out.glob("*/result.json")):
        try:
            result = SubmissionResult.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            unreadable.append(path)
            continue
        results.append(result)
        links[result.student] = f"{quote(path.parent.name)}/feedback.html"
        if result.student not in without:
            render_student(result, path.parent, course, lang)
    _write(out / "class.html", class_html(results, course, lang, links, waiting=waiting))
    return Rendered(len(results), tuple(unreadable))


def render_student(result: SubmissionResult, folder: Path, course: Course, lang: Language) -> None:
    """Writes feedback.html and feedback.md of one student. Raises OSError."""
    html, markdown = student_pages(result, course, lang)
    _write(folder / "feedback.html", html)
    _write(folder / "feedback.md", markdown)


def _write(path: Path, text: str) -> None:
    """The file as a whole, or as it was before."""
    fd, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(fd, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
