"""A probe: one question to a student's code, with its input built in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from autograder.checks.inputs import SeededInputs
from autograder.diagnosis.observation import Seen, look
from autograder.sandbox.api import Student
from autograder.sandbox.errors import StudentFault

CORE = "values"  # the aspect that decides: values, NaN pattern, exceptions, on independent secret inputs


@dataclass(frozen=True)
class Probe:
    """`ask` returns what came of it. Aspects other than CORE refine what CORE says."""

    name: str  # unique within its aspect
    aspect: str
    ask: Callable[[Student], Seen]
    right: Seen | None = None  # what the solution answers, where asking it would be dear

    @property
    def key(self) -> str:
        """Unique within an exercise."""
        return f"{self.aspect}: {self.name}"


def asking(name: str, call: Callable[[Student], Any], aspect: str = CORE) -> Probe:
    """A probe whose answer is what `call` returns or raises."""
    return Probe(name, aspect, lambda student: look(lambda: call(student)))


def secret(seed: str, name: str) -> SeededInputs:
    """Inputs of a diagnosis, different from those of every hidden test."""
    return SeededInputs(seed, f"diagnosis/{name}")


UNSTEADY = "different each time"
UNSURE = Seen("not sure")  # a measurement that says neither: no mistake is named for it, and none without it


def steady(name: str, call: Callable[[Student], Any]) -> Probe:
    """A CORE probe that asks twice when the answer is a value: code that draws random numbers answers
    differently."""

    def ask(student: Student) -> Seen:
        first = look(lambda: call(student))
        if first.numbers is None or first.same(look(lambda: call(student))):
            return first
        return replace(first, form=UNSTEADY)

    return Probe(name, CORE, ask)


THERE = Seen("there")


def on_meta(call: Callable[[Student], Any], *shape: int) -> Probe:
    """Whether the answer is on the device of the question ("meta": a device without numbers, for trying out).

    The solution is not asked: the first operation there makes torch import a second's worth of modules.
    """

    def ask(student: Student) -> Seen:
        try:
            got = call(student)
        except StudentFault:
            return Seen("elsewhere")
        right = isinstance(got, Tensor) and got.device.type == "meta" and tuple(got.shape) == shape
        return THERE if right else Seen("elsewhere")

    return Probe("meta", "device", ask, THERE)
