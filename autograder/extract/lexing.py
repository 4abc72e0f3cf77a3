"""Names and strings of a text that is no Python, or that Python's parser gives up on.

Each letter is looked at a fixed number of times: what `tokenize` does is quadratic for some texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

_NAME = re.compile(r"[^\W\d]\w*")
_STEP = re.compile(r"(?P<name>[^\W\d]\w*)|(?P<quote>\"\"\"|'''|\"|')|(?P<skip>\d\w*|#[^\n]*|[^\w#\"']+)")
# Possessive: what does not end is given up at once. A backslash takes the letter behind it along.
_BODY = {
    '"': re.compile(r'(?:[^"\\\n]|\\.)*+"', re.DOTALL),
    "'": re.compile(r"(?:[^'\\\n]|\\.)*+'", re.DOTALL),
    '"""': re.compile(r'(?:[^"\\]|\\.|"(?!""))*+"""', re.DOTALL),
    "'''": re.compile(r"(?:[^'\\]|\\.|'(?!''))*+'''", re.DOTALL),
}


class Token(NamedTuple):
    """A name, or what is between the quotes of a string, and the line where it begins (from 1)."""

    kind: Literal["name", "string"]
    text: str
    line: int


def tokens_of(text: str) -> Iterator[Token]:
    """What stands outside of comments. Never raises. `text` has "\\n" at the ends of its lines."""
    at, line, prefix = 0, 1, ""
    while at < len(text):
        step = _STEP.match(text, at)
        if step is None:  # a letter that is none of these
            at += 1
            continue
        if step.lastgroup == "quote":
            body = _BODY[step[0]].match(text, step.end())
            if body is not None:
                inside = body[0][: -len(step[0])]
                yield Token("string", inside, line)
                if "f" in prefix.lower():
                    yield from _names(inside, line)
                end = body.end()
            else:  # it never ends: whatever is in it may be code
                end = len(text) if len(step[0]) == 3 else _end_of_line(text, at)
                yield from _names(text[at:end], line)
        else:
            if step.lastgroup == "name":
                yield Token("name", step[0], line)
            end = step.end()
        prefix = step[0] if step.lastgroup == "name" else ""
        line += text.count("\n", at, end)
        at = end


def names_in(text: str) -> set[str]:
    """All names in a text, whatever they are."""
    return set(_NAME.findall(text))


def _names(text: str, line: int) -> Iterator[Token]:
    for number, one in enumerate(text.split("\n"), line):
        for name in _NAME.findall(one):
            yield Token("name", name, number)


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
