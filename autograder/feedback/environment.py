"""The templates' surroundings, one per language and format. Whatever is printed is escaped for the format."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from pydantic import JsonValue

from autograder.feedback import rich
from autograder.feedback.rich import Rich
from autograder.feedback.safe import Md, markdown_block, markdown_code, markdown_text, visible
from autograder.feedback.texts import Texts

FOLDER = Path(__file__).parent / "templates"


def css() -> Markup:
    """The pages' style sheet, for inside <style>."""
    return Markup((FOLDER / "page.css").read_text(encoding="utf-8").rstrip())  # noqa: S704 (our own file)


@cache
def script() -> Markup:
    """The class page's script, for inside <script>."""
    return Markup((FOLDER / "class.js").read_text(encoding="utf-8").rstrip())  # noqa: S704 (our own file)


@cache
def script_hash() -> str:
    """By which a browser knows that script, and runs no other."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script().encode()).digest()).decode()}"


@cache
def html_environment(say: Texts) -> Environment:
    """Autoescapes HTML."""
    environment = _environment(say, rich.html, autoescape=True)
    environment.globals["css"] = css()
    return environment


@cache
def markdown_environment(say: Texts) -> Environment:
    """Escapes everything for Markdown that is not Markdown already."""
    environment = _environment(say, rich.markdown, autoescape=False)
    environment.finalize = _as_markdown
    environment.filters["code"] = lambda text: markdown_code(visible(str(text)))
    environment.filters["fence"] = lambda text: markdown_block(str(text))
    return environment


def _environment(say: Texts, clothe: Callable[[Rich], str], *, autoescape: bool) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )

    def t(id: str, **params: JsonValue) -> str:
        return clothe(say.rich(id, params))

    environment.globals.update(lang=say.lang, say=say, known=say.known, t=t, rich=clothe, points=say.points)
    environment.filters.update(visible=lambda text: visible(str(text), limit=120), plain=rich.plain)
    return environment


def _as_markdown(value: Any) -> Any:
    return value if isinstance(value, Md) else markdown_text(str(value))
