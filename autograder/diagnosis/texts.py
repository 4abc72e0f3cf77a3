"""What pages say about a known mistake: pure data, no torch, for every room that renders.

words = mistake_words("diagonal-0", "pt-BR")      # None: an id that this kit does not know (an older result)
words.name, words.what, words.why, words.effect, words.hints
"""

from __future__ import annotations

from autograder.assignment import Language
from autograder.diagnosis.entries import Entry, Words, catalogue

__all__ = ["Entry", "Words", "mistake", "mistake_words"]


def mistake(id: str) -> Entry | None:
    """The catalogue's entry (`.section`, `.exercises`, `.advice`, `.words(lang)`)."""
    return catalogue().get(id)


def mistake_words(id: str, lang: Language) -> Words | None:
    """Its texts in that language."""
    entry = mistake(id)
    return entry.words(lang) if entry else None
