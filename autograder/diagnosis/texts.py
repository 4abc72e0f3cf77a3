"""What pages say about a known mistake: pure data, no torch, for every room that renders.

words = mistake_words("the-id", "pt-BR", assignment)  # None: an id that is not known here
words.name, words.what, words.why, words.effect, words.hints
"""

from __future__ import annotations

from autograder.assignment import Assignment
from autograder.course import Language
from autograder.diagnosis.entries import Entry, Words, catalogue

__all__ = ["Entry", "Words", "mistake", "mistake_words"]


def mistake(id: str, assignment: Assignment) -> Entry | None:
    """The catalogue's entry (`.section`, `.exercises`, `.advice`, `.words(lang)`)."""
    return catalogue(assignment).get(id)


def mistake_words(id: str, lang: Language, assignment: Assignment) -> Words | None:
    """Its texts in that language."""
    entry = mistake(id, assignment)
    return entry.words(lang) if entry else None
