"""Text of strangers can neither be markup nor hide something."""

from __future__ import annotations

import html
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from autograder.feedback.rich import html as as_html
from autograder.feedback.rich import markdown, plain, rich
from autograder.feedback.safe import markdown_block, markdown_code, markdown_text, visible
from tests.feedback.languages import say

nasty = st.text(alphabet="`*_[]()<>&!#+-.\\|~$:/@=\"'{} \t12ab\n\u202ew", max_size=40)
MARKDOWN = MarkdownIt("gfm-like", {"linkify": False})


def shown(source: str) -> str:
    """What a reader of this Markdown sees."""
    return html.unescape(re.sub(r"<[^>]*>", "", MARKDOWN.render(source))).strip()


@given(st.text(max_size=200))
def test_nothing_hidden_is_left(text: str) -> None:
    for c in visible(text, lines=True):
        assert c == "\n" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def test_hidden_characters_are_written_out() -> None:
    assert visible("a\u202eb\x1b[0m\u200bc\ud800") == "a\\u202eb\\x1b[0m\\u200bc\\ud800"
    assert visible("one\ntwo") == "one two"
    assert visible("one\ntwo", lines=True) == "one\ntwo"
    assert visible("x" * 50, limit=10) == "x" * 10 + " …"
    assert len(visible("a" + "\u0301" * 400)) <= 4  # a tower of accents over the lines above


@given(nasty)
def test_markdown_text_shows_exactly_itself(text: str) -> None:
    text = " ".join(visible(text).split())
    assert shown(markdown_text(text)) == text
    rendered = MARKDOWN.render(markdown_text(text))
    assert not re.search(r"<(?!/?p>)", rendered)


@given(nasty)
def test_markdown_code_shows_exactly_itself(text: str) -> None:
    text = visible(text)
    rendered = MARKDOWN.render("x " + markdown_code(text) + " y")
    assert rendered.count("<code>") == 1
    inside = re.search(r"<code>(.*?)</code>", rendered, re.DOTALL)
    assert inside
    assert html.unescape(inside[1]).strip() == text.strip()


@given(nasty)
def test_a_markdown_block_stays_a_block(text: str) -> None:
    text = visible(text, lines=True)
    rendered = MARKDOWN.render("before\n\n" + markdown_block(text) + "\n\n# after")
    assert rendered.count("<pre>") == 1
    assert "<h1>after</h1>" in rendered


@given(nasty, nasty)
def test_parameters_are_never_markup(a: str, b: str) -> None:
    sentence = rich("one {a} and `two {b}` three", {"a": a, "b": b}, say().locale)
    page = str(as_html(sentence))
    assert re.sub(r'</?code( dir="ltr")?>', "", page).count("<") == 0
    assert page.count("<code") == 1
    assert html.unescape(re.sub(r"<[^>]*>", "", page)) == plain(sentence)
    assert MARKDOWN.render(markdown(sentence)).count("<code>") == 1


@pytest.mark.parametrize(
    ("template", "params", "lang", "said"),
    [
        ("{n} points", {"n": 2.5}, "pt-BR", "2,5 points"),
        ("`{n}`", {"n": 2.5}, "pt-BR", "2.5"),
        ("{n}", {"n": 1234567.0}, "en", "1234567"),
        ("{s:shape}", {"s": [2, 3]}, "en", "(2, 3)"),
        ("{s:shape}", {"s": [2]}, "en", "(2,)"),
        ("{s:index}", {"s": [0, 1]}, "pt-BR", "[0, 1]"),
        ("{s:list}", {"s": [0, 1, 2]}, "pt-BR", "0, 1 e 2"),
        ("{s:list}", {"s": [7]}, "en", "7"),
        ("`x{s:index}`", {"s": [0, 1]}, "en", "x[0, 1]"),
        ("{{x}} {a}", {"a": "{b}"}, "en", "{x} {b}"),
    ],
)
def test_how_parameters_look(template: str, params: dict[str, object], lang: str, said: str) -> None:
    assert plain(rich(template, params, say(lang).locale)) == said  # type: ignore[arg-type]
