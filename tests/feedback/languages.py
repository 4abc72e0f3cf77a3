"""The languages of the kit's own chapter, and what is said in them."""

from __future__ import annotations

from pydantic import JsonValue

from autograder.assignment import load_assignment
from autograder.course import Language
from autograder.feedback.texts import Texts, texts

KIT = load_assignment()
LANGUAGES = KIT.languages


def say(lang: Language = "en") -> Texts:
    """Everything that is said in a language."""
    return texts(lang, KIT)


def t(id: str, lang: Language, **params: JsonValue) -> str:
    """One sentence."""
    return say(lang)(id, **params)
