"""Text of strangers, made harmless to look at: what a student wrote goes through `visible` before any page.

Escaping for HTML is the templates' work (autoescape), for Markdown `markdown_text` and `markdown_code`.
"""

from __future__ import annotations

import re
import unicodedata

# Invisible or direction-changing characters can make a line read as something it is not.
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_MARKS_IN_A_ROW = 3  # combining marks: enough for every language, too few to climb over the line above


def visible(text: str, *, limit: int = 2000, lines: bool = False) -> str:
    """The text with hidden characters written out (\\u202e), at most `limit` characters.

    Keeps line breaks only with `lines=True`; otherwise they become spaces. Tabs become spaces.
    """
    cut = len(text) > limit
    text = text[:limit].replace("\r\n", "\n").replace("\t", "    ")
    out: list[str] = []
    marks = 0
    for c in text:
        category = unicodedata.category(c)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks > _MARKS_IN_A_ROW:
            continue
        if c == "\n":
            out.append("\n" if lines else " ")
        elif category in _HIDDEN:
            out.append(f"\\x{ord(c):02x}" if ord(c) < 0x100 else f"\\u{ord(c):04x}")
        else:
            out.append(c)
    return "".join(out) + (" …" if cut else "")


class Md(str):
    """Markdown that is ready; a plain str is not, and gets escaped by the templates."""

    __slots__ = ()


_MARKUP = re.compile(r"([\\`*_\[\]|~$])")
_LINKS = re.compile(r"(?i)(?<=:)(//)|(?<=www)(\.)|(@)")  # what becomes a link by itself
_START = re.compile(
    r"^(\s*)(?:([#+\-=])|(\d+)([.)]))"
)  # what makes a heading or a list at the start of a line


def markdown_text(text: str) -> Md:
    """One line of text as Markdown that shows just this text: no link, picture, HTML, list comes of it."""
    text = _MARKUP.sub(r"\\\1", " ".join(text.split("\n")))
    text = _LINKS.sub(lambda m: "\\" + m[0], text)
    text = _START.sub(lambda m: f"{m[1]}\\{m[2]}" if m[2] else f"{m[1]}{m[3]}\\{m[4]}", text)
    return Md(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def markdown_code(text: str) -> Md:
    """Text as an inline code span, whatever backticks it holds."""
    text = " ".join(text.split("\n")) or " "
    fence = "`" * (1 + _longest_run(text))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return Md(f"{fence}{pad}{text}{pad}{fence}")


def markdown_block(text: str) -> Md:
    """Text as a fenced code block."""
    fence = "`" * max(3, 1 + _longest_run(text))
    return Md(f"{fence}text\n{text}\n{fence}")


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
