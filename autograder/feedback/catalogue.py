"""The catalogue of known mistakes, as pages see it: texts only."""

from __future__ import annotations

from autograder.assignment import Language
from autograder.feedback.mistake_texts import MistakeText


def mistake_texts(id: str, lang: Language) -> MistakeText | None:
    """What to tell of a known mistake; None for one that this kit does not know (another version's)."""
    # Only when a mistake is told: the package of the catalogue also runs code, and is slow to import.
    from autograder.diagnosis.texts import mistake

    entry = mistake(id)
    if entry is None:
        return None
    words = entry.words(lang)
    return MistakeText(id, entry.section, words.name, words.what, words.why, words.effect, words.hints)
