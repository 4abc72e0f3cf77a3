"""A result that upsets its page costs that page: the student has a plain one, and all others have theirs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from autograder.assignment import Assignment
from autograder.feedback import fallback, render
from autograder.results import SubmissionResult
from tests.feedback import results
from tests.feedback.test_render import fill

ODD = "davi~1"


@pytest.fixture
def upset(monkeypatch: pytest.MonkeyPatch) -> Any:
    """upset(how, error): Davi's page raises when it is written with details ("details") or at all ("always");
    the class page does when he is in it."""

    def of(how: str, error: type[BaseException]) -> None:
        def fails(result: SubmissionResult) -> bool:
            plain = any(p.id == "page.plain" for p in result.problems)
            return result.student != "Ana Souza" and (how == "always" or not plain)

        pages, whole_class = fallback.student_pages, fallback.class_html

        def student_pages(result: SubmissionResult, *more: Any) -> Any:
            if fails(result):
                raise error
            return pages(result, *more)

        def class_html(some: Any, *more: Any, **named: Any) -> str:
            if any(fails(r) for r in some):
                raise error
            return whole_class(some, *more, **named)

        monkeypatch.setattr(fallback, "student_pages", student_pages)
        monkeypatch.setattr(fallback, "class_html", class_html)

    return of


@pytest.mark.parametrize("error", [MemoryError, RecursionError, OverflowError, KeyError, ValueError])
@pytest.mark.parametrize("how", ["details", "always"])
@pytest.mark.parametrize("lang", ["en", "pt-BR"])
def test_one_page_costs_one_page(
    tmp_path: Path, assignment: Assignment, upset: Any, how: str, error: type[BaseException], lang: Any
) -> None:
    fill(tmp_path)
    upset(how, error)
    done = render(tmp_path, assignment, lang)
    assert done.plain == (results.untouched().student,)
    whole = (tmp_path / "ana" / "feedback.html").read_text("utf-8")
    assert "page.plain" not in whole
    assert len(whole) > 10_000
    why = {"en": "could not be written in full", "pt-BR": "não pôde ser escrita por inteiro"}[lang]
    for name in ("feedback.html", "feedback.md"):
        page = (tmp_path / ODD / name).read_text("utf-8")
        assert why in page
        assert "100" in page  # the points that there are
    page = (tmp_path / "class.html").read_text("utf-8")
    assert "Ana Souza" in page
    assert results.untouched().student in page


def test_what_the_plain_page_shows_is_escaped(
    assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fallback, "student_pages", lambda *_: 1 / 0)
    result = results.untouched().model_copy(update={"student": "<script>\u202e*x*"})
    html, markdown, whole = fallback.pages_of(result, assignment, "en")
    assert not whole
    assert "<script>" not in html
    assert "&lt;script&gt;\\u202e" in html
    assert "<script>" not in markdown


def test_no_page_is_so_large_that_nobody_could_open_it(
    assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fallback, "LARGEST", 10_000)
    assert not fallback.pages_of(results.all_right(), assignment, "en")[2]


ODD_SHOWN: list[Any] = [
    {"shape": [0, 1 << 38], "dtype": "float32", "values": []},
    {"shape": [1 << 38, 0], "dtype": "float32", "values": []},
    {"shape": [2_000_000, 0], "dtype": "float32", "values": [[]] * 1000},
    {"shape": [1 << 70, 1 << 70, 0], "dtype": "float32", "values": []},
    {"shape": [-1, 3], "dtype": "float32", "values": []},
    {"shape": [1] * 6, "dtype": "x" * 10_000, "values": [[[[[[1]]]]]]},
    {"shape": [2, 2], "dtype": "float32", "values": [[1e308, -1e308], ["nan", "inf"]]},
    {"shape": list(range(10_000)), "dtype": "float32"},
    {"exception": "E" * 100_000, "text": "t" * 100_000},
    {"kind": "k" * 100_000},
    10**400,
    [[]] * 10_000,
]


@pytest.mark.parametrize("odd", ODD_SHOWN, ids=range(len(ODD_SHOWN)))
def test_whatever_is_shown_the_whole_page_is_written_in_a_moment(assignment: Assignment, odd: Any) -> None:
    result = results.untouched()
    shown = {"call": "f(x)", "inputs": {"x": odd}, "expected": odd, "got": odd, "first_difference": [1 << 80]}
    tests = [x.model_copy(update={"shown": shown}) for x in result.tests]
    began = time.process_time()
    html, markdown, whole = fallback.pages_of(result.model_copy(update={"tests": tests}), assignment, "en")
    assert whole
    assert len(html) + len(markdown) < 1_000_000
    assert time.process_time() - began < 5


def test_a_file_that_is_no_result_of_ours_is_not_read_whole(tmp_path: Path, assignment: Assignment) -> None:
    fill(tmp_path)
    (tmp_path / "huge").mkdir()
    with (tmp_path / "huge" / "result.json").open("wb") as file:
        file.truncate(1 << 32)
    assert [p.parent.name for p in render(tmp_path, assignment, "en").unreadable] == ["huge"]
