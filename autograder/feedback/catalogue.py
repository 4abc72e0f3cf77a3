"""The catalogue of known mistakes, as pages see it: texts only."""

from __future__ import annotations

from autograder.feedback.mistake_texts import MistakeText
from autograder.feedback.texts import Texts


def mistake_texts(id: str, say: Texts) -> MistakeText | None:
    """What to tell of a known mistake; None for one that this kit does not know (another version's)."""
    # Only when a mistake is told: the package of the catalogue also runs code, and is slow to import.
    from autograder.diagnosis.texts import mistake

    entry = mistake(id, say.assignment)
    if entry is None:
        return None
    words = entry.words(say.lang)
    return MistakeText(id, entry.section, words.name, words.what, words.why, words.effect, words.hints)
