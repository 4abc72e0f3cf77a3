"""Pictures of a result (`shown["picture"]`) as inline SVG, with the same in words. The chapter draws them:
KINDS in its pictures/ has a function for each kind."""

from __future__ import annotations

from pydantic import JsonValue, ValidationError

from autograder import content
from autograder.feedback.pictures.svg import Figure, Pictures
from autograder.feedback.texts import Texts

__all__ = ["Figure", "Pictures", "picture"]


def picture(data: JsonValue, say: Texts) -> Pictures | None:
    """The picture that a result describes; None when there is none, or one that this kit cannot draw."""
    kind = data.get("kind") if isinstance(data, dict) else None
    kinds = content.attribute(say.assignment.chapter_folder, "pictures", "KINDS", {}) if kind else {}
    if not isinstance(kind, str) or kind not in kinds:
        return None
    try:
        drawn: Pictures | None = kinds[kind](data, say)
    except ValidationError:
        return None
    return drawn
