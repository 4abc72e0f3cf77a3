"""The class page's table, clicked: search, filter, sort, links into it, and the page without its script."""

from __future__ import annotations

import pytest

from autograder.assignment import load_assignment
from autograder.feedback.class_page import class_html
from tests.browser.conftest import Opened
from tests.feedback.known import mistakes
from tests.feedback.test_class_page import a_class

N = 40
ROW = "#table tbody tr:visible"


@pytest.fixture(scope="module")
def html() -> str:
    return class_html(a_class(N), load_assignment(), "en", mistakes=mistakes)


def test_search_by_name_without_accents(html: str, opened: Opened) -> None:
    with opened(html) as page:
        assert page.locator(ROW).count() == N
        page.get_by_label("Name", exact=True).fill("iris prado")
        found = page.locator(f"{ROW} th").all_inner_texts()
        assert found
        assert all("Íris Prado" in name for name in found)
        assert page.get_by_role("status").inner_text() == f"{len(found)} of {N} students are shown."
        page.get_by_role("button", name="Show all").click()
        page.wait_for_function(f"document.querySelectorAll('#table tbody tr:not([hidden])').length === {N}")


def test_filter_by_what_is_missing_and_by_mistake(html: str, opened: Opened) -> None:
    with opened(html) as page:
        heads = page.locator("#table thead th").all_inner_texts()
        column = heads.index("Split into heads")
        only = page.get_by_label("Only")
        only.select_option(label="Split into heads")
        cells = [row.locator("th, td").nth(column) for row in page.locator(ROW).all()]
        assert 0 < len(cells) < N
        assert all(cell.get_attribute("class") == "n part" for cell in cells)
        only.select_option(label="Tokens dealt out to the heads like cards")
        names = page.locator(f"{ROW} th").all_inner_texts()
        assert names
        assert all(name.startswith("Bruno") for name in names)


def test_sort_by_points_and_by_name(html: str, opened: Opened) -> None:
    with opened(html) as page:
        heads = page.locator("#table thead th").all_inner_texts()
        score = heads.index("Score")

        def scores() -> list[float]:
            texts = page.locator(f"#table tbody tr > :nth-child({score + 1})").all_inner_texts()
            return [float(text) if text != "no grade" else -1.0 for text in texts]

        button = page.get_by_role("button", name="Score")
        button.click()
        first = scores()
        button.click()
        assert scores() == sorted(first, reverse=first[0] <= first[-1])
        assert sorted(first) in (first, first[::-1])
        assert page.locator("th[aria-sort]").count() == 1
        page.get_by_role("button", name="Student").click()
        names = page.locator("#table tbody th").all_inner_texts()
        assert names[0].startswith("Ana")
        first = [i for i, name in enumerate(names) if name.startswith("Í")]
        assert names[first[0] - 1].startswith("Hugo")  # not behind Z
        assert names[first[-1] + 1].startswith("Jonas")
        page.get_by_role("button", name="Student").click()
        assert page.locator("#table tbody th").all_inner_texts() == names[::-1]


def test_a_link_shows_as_many_as_it_says(html: str, opened: Opened) -> None:
    with opened(html) as page:
        links = page.locator("a.only:visible")
        assert links.count() > 3
        for link in links.all()[:4]:
            n = "".join(c for c in link.inner_text() if c.isdigit()) or "1"
            link.click()
            page.wait_for_function(
                f"document.querySelectorAll('#table tbody tr:not([hidden])').length === {n}"
            )
        address = page.url
        page.reload()
        assert page.url == address
        assert page.locator(ROW).count() == int(n)


def test_without_its_script_it_is_a_plain_table(html: str, browser, tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "class.html"
    path.write_text(html, encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.locator(ROW).count() == N
    assert page.locator("a.only:visible").count() == 0
    assert page.locator("#filters").is_hidden()
    context.close()
