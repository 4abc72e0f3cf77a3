"""One student's page, as HTML and as Markdown, out of a result. Renders nothing that is not in the result."""

from __future__ import annotations

from autograder.assignment import Assignment
from autograder.course import Language
from autograder.feedback.catalogue import mistake_texts
from autograder.feedback.environment import html_environment, markdown_environment
from autograder.feedback.grade_words import grade_words
from autograder.feedback.mistake_texts import MistakeTexts
from autograder.feedback.student_view import student_view
from autograder.feedback.texts import texts
from autograder.gradebook.policy import Grade
from autograder.results import SubmissionResult


def student_pages(
    result: SubmissionResult,
    assignment: Assignment,
    lang: Language,
    grade: Grade | None = None,
    mistakes: MistakeTexts = mistake_texts,
) -> tuple[str, str]:
    """feedback.html (one file, no scripts, nothing from elsewhere) and feedback.md (pictures in words).

    grade: what is made of the result; left out, the page says nothing of late work and of what a person
    decided.
    """
    say = texts(lang, assignment)
    packages = [f"{name} {version}" for name, version in sorted(result.kit.packages.items())]
    context = {
        "view": student_view(result, say, mistakes),
        "grade": grade_words(grade, say),
        "assignment": assignment,
        "course_title": assignment.course.title_in(lang),
        "packages": ", ".join(packages) or "–",
    }
    return (
        html_environment(say).get_template("student.html.j2").render(**context),
        markdown_environment(say).get_template("student.md.j2").render(**context),
    )


def student_html(
    result: SubmissionResult, assignment: Assignment, lang: Language, mistakes: MistakeTexts = mistake_texts
) -> str:
    """feedback.html alone."""
    return student_pages(result, assignment, lang, None, mistakes)[0]


def student_markdown(
    result: SubmissionResult, assignment: Assignment, lang: Language, mistakes: MistakeTexts = mistake_texts
) -> str:
    """feedback.md alone."""
    return student_pages(result, assignment, lang, None, mistakes)[1]
