"""A sentence with parameters: `code` in backticks, {parameters} inside or outside of it.

The sentence is taken apart before parameters go in, so that a parameter can never open a code span, a tag or
another parameter. Numbers in prose follow the language (0,5 in Portuguese); in code they never do.

    {n}            a number, or text
    {shape:shape}  [2, 3] as (2, 3)
    {first:index}  [0, 1] as [0, 1]
    {rows:list}    [0, 1, 2] as "0, 1 and 2"
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Formatter

from babel import Locale
from babel.lists import format_list
from babel.numbers import format_decimal
from markupsafe import Markup, escape
from pydantic import JsonValue

from autograder.feedback.safe import Md, markdown_code, markdown_text, visible


@dataclass(frozen=True)
class Span:
    """A piece of a sentence."""

    text: str
    code: bool = False


Rich = tuple[Span, ...]


def rich(template: str, params: Mapping[str, JsonValue], locale: Locale) -> Rich:
    """The sentence with its parameters filled in. Raises KeyError for a parameter that is not given."""
    spans: list[Span] = []
    code = False
    for literal, name, spec, _ in Formatter().parse(template):
        for i, piece in enumerate(literal.split("`")):
            if i:
                code = not code
            _add(spans, piece, code)
        if name is not None:
            _add(spans, visible(_value(params[name], spec or "", code, locale), limit=300), code)
    return tuple(spans)


def parameters(template: str) -> set[str]:
    """Names of the parameters a sentence asks for. Raises ValueError when its braces do not fit."""
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def number(value: float, locale: Locale | None, decimals: int | None = None) -> str:
    """At most four digits that count, no trailing zeros, or so many decimals; `locale` None: as in code."""
    if decimals is not None:
        return format_decimal(value, "0." + "0" * decimals, locale=locale)
    text = f"{value:.4g}" if abs(value) < 1000 else f"{value:.0f}"
    return text if locale is None or not math.isfinite(value) else _decimal(text, locale)


def points(value: float, locale: Locale) -> str:
    """Points: at most two decimals."""
    return _decimal(f"{value:.2f}", locale)


def _decimal(text: str, locale: Locale) -> str:
    digits, e, exponent = text.partition("e")
    return format_decimal(digits, "0.#", locale=locale, decimal_quantization=False) + e + exponent


def enumeration(items: Sequence[str], locale: Locale) -> str:
    """Items as people list them: 0, 1 and 2."""
    if not items:
        return "–"
    if len(items) > 12:
        return f"{', '.join(items[:12])} …"
    return format_list(items, locale=locale)


def capital(sentence: Rich) -> Rich:
    """The sentence with a capital first letter, unless it begins with code."""
    if not sentence or sentence[0].code:
        return sentence
    first = sentence[0].text
    return (Span(first[:1].upper() + first[1:]), *sentence[1:])


def _add(spans: list[Span], text: str, code: bool) -> None:
    if not text:
        return
    if spans and spans[-1].code == code:
        text = spans.pop().text + text
    spans.append(Span(text, code))


def _value(value: JsonValue, spec: str, code: bool, locale: Locale) -> str:
    in_prose = None if code else locale
    if isinstance(value, list):
        items = [_value(v, "", code, locale) for v in value]
        if spec == "shape":
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
        if spec == "index" or code:
            return f"[{', '.join(items)}]"
        return enumeration(items, locale)
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int | float):
        return number(value, in_prose)
    return str(value)


def html(sentence: Rich) -> Markup:
    """As HTML: everything escaped, code in <code>."""
    return Markup("").join(
        Markup('<code dir="ltr">{}</code>').format(s.text) if s.code else escape(s.text) for s in sentence
    )


def markdown(sentence: Rich) -> Md:
    """As Markdown: nothing in it is markup but our own code spans."""
    return Md("".join(markdown_code(s.text) if s.code else markdown_text(s.text) for s in sentence))


def plain(sentence: Rich) -> str:
    """As bare text."""
    return "".join(s.text for s in sentence)
