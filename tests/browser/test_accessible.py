"""axe-core finds nothing on any page, in both languages, light and dark, wide and narrow, with everything
unfolded; and no page is wider than its window."""

from __future__ import annotations

from typing import Any

import pytest

from autograder.assignment import Assignment, load_assignment
from autograder.course import Language
from autograder.feedback.class_page import class_html
from autograder.feedback.student_page import student_html
from tests.browser.conftest import Opened
from tests.feedback import results
from tests.feedback.known import mistakes
from tests.feedback.languages import LANGUAGES
from tests.feedback.test_class_page import a_class
from tests.lab.conftest import lab

# Light and dark, wide and narrow, divided between the languages: one look takes a second or two.
LOOKS = {"en": [(False, 1280), (True, 390)], "pt-BR": [(True, 1280), (False, 390)]}
FULL = ("several_wrong", "same_mistake_twice")  # the other students' pages have one look a language


@pytest.fixture(scope="module")
def assignment() -> Assignment:
    return load_assignment()


def accessible(opened: Opened, html: str, dark: bool, width: int) -> None:
    from axe_playwright_python.sync_playwright import Axe

    with opened(html, dark, width) as page:
        page.evaluate("document.querySelectorAll('details').forEach((d) => d.open = true)")
        found = Axe().run(page).response["violations"]
        assert not [(v["id"], [n["html"] for n in v["nodes"]][:3]) for v in found]
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", results.ALL)
def test_students_page(name: str, lang: Language, assignment: Assignment, opened: Opened) -> None:
    html = student_html(results.ALL[name](), assignment, lang, mistakes)
    for dark, width in LOOKS[lang][: 2 if name in FULL else 1]:
        accessible(opened, html, dark, width)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_class_page(lang: Language, assignment: Assignment, opened: Opened) -> None:
    html = class_html([*a_class(12), results.hostile()], assignment, lang, mistakes=mistakes)
    for dark, width in LOOKS[lang]:
        accessible(opened, html, dark, width)


@pytest.fixture(scope="module")
def measured() -> dict[str, Any]:
    """The numbers of all of the lab's sections, measured in a hurry."""
    from lab import cache_gain

    patience, cache_gain.PATIENCE = cache_gain.PATIENCE, 1.0
    try:
        return lab()[1]
    finally:
        cache_gain.PATIENCE = patience


@pytest.mark.parametrize("lang", LANGUAGES)
def test_labs_page(lang: Language, measured: dict[str, Any], opened: Opened) -> None:
    from lab.language import Texts
    from lab.page import page

    html = page({**measured, "lang": lang}, Texts(lang))
    for dark, width in LOOKS[lang]:
        accessible(opened, html, dark, width)
