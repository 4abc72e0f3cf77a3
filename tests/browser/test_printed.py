"""On paper a student's page takes three sheets at most, and the class page has all its columns."""

from __future__ import annotations

import re

import pytest

from autograder.assignment import load_assignment
from autograder.course import Language
from autograder.feedback.class_page import class_html
from autograder.feedback.student_page import student_html
from autograder.results import SubmissionResult
from tests.browser.conftest import Opened
from tests.feedback import results
from tests.feedback.known import mistakes
from tests.feedback.languages import LANGUAGES
from tests.feedback.test_class_page import a_class

SHEETS = 3


def sheets(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def everything_wrong() -> SubmissionResult:
    """Each exercise for a reason of its own, with an example."""
    shown = results.split_no_transpose().tests[1].shown
    changes = {
        exercise: {
            **results.failed("values.differ", what="result", wrong=n + 2, total=20, first=[n], shape=[20]),
            "shown": shown,
        }
        for n, exercise in enumerate(dict.fromkeys(e for _, e, _, _ in results.TESTS))
    }
    return results.result("Zoé", changes)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_students_pages(lang: Language, opened: Opened) -> None:
    assignment = load_assignment()
    for name, make in {**results.ALL, "everything_wrong": everything_wrong}.items():
        with opened(student_html(make(), assignment, lang, mistakes)) as page:
            assert 1 <= sheets(page.pdf(prefer_css_page_size=True)) <= SHEETS, name


def test_the_class_in_landscape_with_all_columns(opened: Opened) -> None:
    with opened(class_html(a_class(40), load_assignment(), "pt-BR", mistakes=mistakes)) as page:
        pdf = page.pdf(prefer_css_page_size=True)
        boxes = re.findall(rb"/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)", pdf)
        assert boxes
        assert all(float(width) > float(height) for width, height in boxes)
        page.emulate_media(media="print")
        page.set_viewport_size({"width": 1030, "height": 700})  # A4 landscape without its margins, at 96 dpi
        assert page.evaluate("document.getElementById('table').scrollWidth") <= 1030
        assert page.evaluate("document.documentElement.scrollWidth") <= 1030
