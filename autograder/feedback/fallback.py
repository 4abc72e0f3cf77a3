"""Pages that can be written whatever is in a result: one that upsets its page costs that page alone."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from autograder.assignment import Assignment
from autograder.course import Language
from autograder.feedback.class_page import class_html
from autograder.feedback.safe import Md, markdown_text, visible
from autograder.feedback.student_page import student_pages
from autograder.feedback.texts import Texts, texts
from autograder.feedback.wording import title
from autograder.gradebook.grades import StudentGrade
from autograder.gradebook.policy import Grade
from autograder.results import Problem, SubmissionResult

LOG = logging.getLogger(__name__)
LARGEST = 3_000_000  # characters of one page; of honest work it has a tenth of that at most

STUDENT = Markup(
    '<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title></head>\n'
    "<body><h1>{student}</h1><p>{why}</p><p>{score}</p>\n<ul>{rows}</ul></body></html>\n"
)
CLASS = Markup(
    '<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title></head>\n'
    "<body><h1>{title}</h1><p>{why}</p>\n<ul>{rows}</ul></body></html>\n"
)
ROW = Markup("<li>{name}: {points}</li>\n")


class TooLarge(Exception):
    """A page that nobody could open."""


def pages_of(
    result: SubmissionResult, assignment: Assignment, lang: Language, grade: Grade | None = None
) -> tuple[str, str, bool]:
    """(feedback.html, feedback.md, whether they say everything). Where the page cannot be written: one
    without examples and messages; where that cannot be written either: the points alone."""
    for one, whole in ((result, True), (without_details(result), False)):
        try:
            html, markdown = student_pages(one, assignment, lang, grade)
            if len(html) > LARGEST or len(markdown) > LARGEST:
                raise TooLarge(f"{len(html)} and {len(markdown)} characters")
        except Exception:  # noqa: BLE001 - whatever it is, the others have their pages and this one its points
            LOG.warning("%s: the page cannot be written", visible(result.student, limit=120), exc_info=True)
        else:
            return html, markdown, whole
    return *_plain(result, texts(lang, assignment)), False


def class_of(
    results: Sequence[SubmissionResult],
    assignment: Assignment,
    lang: Language,
    links: Mapping[str, str],
    waiting: Sequence[str],
    grades: Sequence[StudentGrade] = (),
) -> tuple[str, list[str]]:
    """(class.html, students whose results it could not take in whole)"""

    def page(some: Sequence[SubmissionResult]) -> str | None:
        try:
            return class_html(some, assignment, lang, links, waiting=waiting, grades=grades)
        except Exception:  # noqa: BLE001 - as above
            LOG.warning("the class page cannot be written of %d results", len(some), exc_info=True)
            return None

    html = page(results)
    if html is not None:
        return html, []
    odd = {r.student for r in results if page([r]) is None}
    html = page([without_details(r) if r.student in odd else r for r in results])
    return html or _plain_class(results, texts(lang, assignment)), sorted(odd)


def without_details(result: SubmissionResult) -> SubmissionResult:
    """The points and verdicts, and that the rest could not be shown."""
    tests = [x.model_copy(update={"shown": {}, "message": None, "mistakes": []}) for x in result.tests]
    problems = [Problem(id="page.plain")]
    return result.model_copy(update={"tests": tests, "flags": [], "problems": problems})


def _plain(result: SubmissionResult, say: Texts) -> tuple[str, str]:
    student, why = visible(result.student, limit=120), say("problem.page.plain")
    score = say("page.score", points=say.points(result.score), max=say.points(result.max_score))
    rows = [
        (title(e.id, say), f"{say.points(result.points_of(e.id))} / {say.points(e.points)}")
        for e in say.assignment.exercises
    ]
    html = STUDENT.format(
        lang=say.lang, title=student, student=student, why=why, score=score,
        rows=Markup("").join(ROW.format(name=name, points=got) for name, got in rows),
    )  # fmt: skip
    lines = ["# " + markdown_text(student), markdown_text(why), markdown_text(score)]
    lines += [Md("- ") + markdown_text(f"{name}: {got}") for name, got in rows]
    return html, "\n\n".join(lines) + "\n"


def _plain_class(results: Sequence[SubmissionResult], say: Texts) -> str:
    rows = (ROW.format(name=visible(r.student, limit=120), points=say.points(r.score)) for r in results)
    why, heading = say("problem.page.plain"), say.assignment.course.title_in(say.lang)
    return CLASS.format(lang=say.lang, title=heading, why=why, rows=Markup("").join(rows))
