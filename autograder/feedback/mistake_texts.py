"""What a page needs to know of a known mistake, and where it gets it from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from autograder.feedback.rich import Rich, Span, capital, rich
from autograder.feedback.texts import Texts


@dataclass(frozen=True)
class MistakeText:
    """One known mistake in one language; sentences as in messages/: `code`, {parameters}."""

    id: str
    section: str  # of the chapter
    name: str
    what: str
    why: str
    effect: str
    hints: tuple[str, ...]  # a question, the concept, the named operation


MistakeTexts = Callable[[str, Texts], MistakeText | None]


@dataclass(frozen=True)
class Told:
    """A known mistake with its parameters filled in."""

    id: str
    section: str
    name: Rich
    name_inside: Rich  # of a sentence
    what: Rich
    why: Rich
    effect: Rich
    hints: tuple[Rich, ...]


def told(text: MistakeText, params: Mapping[str, JsonValue], say: Texts) -> Told:
    """Fills in what the diagnosis found out (an effective scale …)."""

    def fill(template: str) -> Rich:
        try:
            return rich(template, params, say.locale)
        except (KeyError, ValueError):
            return (Span(template),)

    name = fill(text.name)
    return Told(
        text.id,
        text.section,
        capital(name),
        name,
        fill(text.what),
        fill(text.why),
        fill(text.effect),
        tuple(fill(h) for h in text.hints),
    )
