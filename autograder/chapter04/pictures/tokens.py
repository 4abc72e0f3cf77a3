"""What pictures of a sentence say of it."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.feedback.texts import Texts


def about(tokens: Sequence[str], say: Texts, head: int | None = None) -> str:
    """On which sentence a picture is made, and of which head it is."""
    text = " ".join(tokens)
    return (
        say("picture.tokens", text=text) if head is None else say("picture.tokens.head", text=text, head=head)
    )
