"""A probe: one question to a student's code, with its input built in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autograder.hidden.draw import Draw
from autograder.mistakes.seen import Seen, look
from autograder.sandbox.api import Student

CORE = "values"  # the aspect that decides: values, NaN pattern, exceptions, on independent secret inputs


@dataclass(frozen=True)
class Probe:
    """`ask` returns what came of it. Aspects other than CORE refine what CORE says."""

    name: str  # unique within its aspect
    aspect: str
    ask: Callable[[Student], Seen]

    @property
    def key(self) -> str:
        """Unique within an exercise."""
        return f"{self.aspect}: {self.name}"


def asking(name: str, call: Callable[[Student], Any], aspect: str = CORE) -> Probe:
    """A probe whose answer is what `call` returns or raises."""
    return Probe(name, aspect, lambda student: look(lambda: call(student)))


def secret(seed: str, name: str) -> Draw:
    """Inputs of a diagnosis, different from those of every hidden test."""
    return Draw(seed, f"diagnosis/{name}")
