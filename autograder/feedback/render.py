"""All pages of a folder of results, in any language, without grading again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection
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


def render(out: Path, course: Course, lang: Language, only: Collection[str] | None = None) -> Rendered:
    """Writes feedback.html and feedback.md beside every OUT/<student>/result.json, and OUT/class.html.

    `only`: write pages of these students alone; the class page is always about all of them. Raises OSError.
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
        if only is None or result.student in only:
            html, markdown = student_pages(result, course, lang)
            _write(path.parent / "feedback.html", html)
            _write(path.parent / "feedback.md", markdown)
    _write(out / "class.html", class_html(results, course, lang, links))
    return Rendered(len(results), tuple(unreadable))


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
