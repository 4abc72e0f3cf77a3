"""All pages of a folder of results, in any language, without grading again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from autograder.assignment import Assignment, Language
from autograder.feedback.fallback import class_of, pages_of
from autograder.results import SubmissionResult

LARGEST = 16_000_000  # bytes of a result.json that is read; this kit writes none above 1 MB


@dataclass(frozen=True)
class Rendered:
    """What came of it: students with pages, and result files that could not be read."""

    students: int
    unreadable: tuple[Path, ...]
    plain: tuple[str, ...] = ()  # students whose results do not let the whole page be written


def render(
    out: Path,
    assignment: Assignment,
    lang: Language,
    without: Collection[str] = (),
    waiting: Sequence[str] = (),
) -> Rendered:
    """Writes feedback.html and feedback.md beside every OUT/<student>/result.json, and OUT/class.html.

    `without`: students whose pages are left as they are; `waiting`: those who have not been graded yet.
    Raises OSError.
    """
    results: list[SubmissionResult] = []
    unreadable: list[Path] = []
    links: dict[str, str] = {}
    plain: dict[str, None] = {}
    for path in sorted(out.glob("*/result.json")):
        try:
            result = _read(path)
        except (OSError, ValueError):  # pydantic's ValidationError is one
            unreadable.append(path)
            continue
        results.append(result)
        links[result.student] = f"{quote(path.parent.name)}/feedback.html"
        if result.student not in without and not render_student(result, path.parent, assignment, lang):
            plain[result.student] = None
    html, odd = class_of(results, assignment, lang, links, waiting)
    _write(out / "class.html", html)
    return Rendered(len(results), tuple(unreadable), tuple({**plain, **dict.fromkeys(odd)}))


def _read(path: Path) -> SubmissionResult:
    """A result. Raises OSError, and ValueError for what is none, or is larger than any that we write."""
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"{path}: more than {LARGEST} bytes")
    return SubmissionResult.model_validate_json(data)


def render_student(result: SubmissionResult, folder: Path, assignment: Assignment, lang: Language) -> bool:
    """Writes feedback.html and feedback.md of one student; False: they could not say everything. Raises
    OSError."""
    html, markdown, whole = pages_of(result, assignment, lang)
    _write(folder / "feedback.html", html)
    _write(folder / "feedback.md", markdown)
    return whole


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
