"""class.html: the class on one page, out of many results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from autograder.assignment import Assignment
from autograder.course import Language
from autograder.feedback.catalogue import mistake_texts
from autograder.feedback.class_view import class_view
from autograder.feedback.environment import html_environment, script, script_hash
from autograder.feedback.mistake_texts import MistakeTexts
from autograder.feedback.texts import texts
from autograder.gradebook.grades import StudentGrade
from autograder.results import SubmissionResult


def class_html(
    results: Sequence[SubmissionResult],
    assignment: Assignment,
    lang: Language,
    links: Mapping[str, str] | None = None,
    mistakes: MistakeTexts = mistake_texts,
    waiting: Sequence[str] = (),
    grades: Sequence[StudentGrade] = (),
) -> str:
    """The page. `links`: student -> path of their page from here; left out, "<student>/feedback.html".

    `waiting`: students who were not graded before the run was stopped; `grades`: of all people of the class.
    """
    if links is None:
        links = {r.student: f"{quote(r.student, safe='')}/feedback.html" for r in results}
    say = texts(lang, assignment)
    template = html_environment(say).get_template("class.html.j2")
    return template.render(
        view=class_view(results, say, mistakes, links, waiting, grades),
        script=script(),
        script_hash=script_hash(),
        assignment=assignment,
        course_title=assignment.course.title_in(lang),
    )
