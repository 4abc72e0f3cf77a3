"""All pages of a folder of results, in any language, without grading again."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from autograder.assignment import Assignment
from autograder.class_folder import attempt_of
from autograder.course import Language
from autograder.feedback.fallback import class_of, pages_of
from autograder.gradebook.grades import StudentGrade
from autograder.gradebook.policy import Grade
from autograder.results import SubmissionResult
from autograder.store import RESULT, all_results, write_text

PAGE, MARKDOWN = "feedback.html", "feedback.md"


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
    grades: Sequence[StudentGrade] = (),
) -> Rendered:
    """Writes feedback.html and feedback.md beside every OUT/<student>/result.json, and OUT/class.html.

    `without`: students whose pages are left as they are; `waiting`: those who have not been graded yet;
    `grades`: of all people of the class, where they are known; pages say what counts, and why.
    Raises StoreError.
    """
    found, unreadable = all_results(out)
    counts = {one.result.student: one.grade for one in grades if one.result is not None}
    plain: dict[str, None] = {}
    for folder, result in found.items():
        if result.student not in without and not render_student(
            result, folder, assignment, lang, counts.get(result.student)
        ):
            plain[result.student] = None
    links = {r.student: f"{quote(folder.name)}/{PAGE}" for folder, r in found.items()}
    by_hand = {one.folder: one for one in grades if one.result is None and one.folder is not None}
    for folder, one in by_hand.items():
        render_student(SubmissionResult.nothing(one.name), folder, assignment, lang, one.grade)
        links[one.name] = f"{quote(folder.name)}/{PAGE}"
    if grades:
        _remove_others(out, {*found, *by_hand})
    results = _that_count(list(found.values()), grades)
    html, odd = class_of(results, assignment, lang, links, waiting, grades)
    write_text(out / "class.html", html)
    return Rendered(len(found), tuple(unreadable), tuple({**plain, **dict.fromkeys(odd)}))


def _remove_others(out: Path, kept: Collection[Path]) -> None:
    """Removes pages of people who had a grade without work, and have none any more."""
    for page in out.glob(f"*/{PAGE}"):
        if page.parent not in kept and not (page.parent / RESULT).exists():
            for name in (PAGE, MARKDOWN):
                (page.parent / name).unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # somebody has put something there
                page.parent.rmdir()


def _that_count(
    results: Sequence[SubmissionResult], grades: Sequence[StudentGrade]
) -> list[SubmissionResult]:
    """Without attempts of people of the class of whom another attempt counts: nobody is there twice."""
    counted = {one.result.student for one in grades if one.result is not None}
    people = {one.name for one in grades}

    def person(name: str) -> str:
        which = attempt_of(name)
        return which[0] if which else name

    return [r for r in results if r.student in counted or person(r.student) not in people]


def render_student(
    result: SubmissionResult,
    folder: Path,
    assignment: Assignment,
    lang: Language,
    grade: Grade | None = None,
) -> bool:
    """Writes feedback.html and feedback.md of one student; False: they could not say everything. Raises
    StoreError."""
    html, markdown, whole = pages_of(result, assignment, lang, grade)
    write_text(folder / PAGE, html)
    write_text(folder / MARKDOWN, markdown)
    return whole
