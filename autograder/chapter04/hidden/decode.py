"""The judge decodes: it alone decides which tokens come next, and compares every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import JsonValue
from torch import Tensor

from autograder.checks.check import Check, Wrong
from autograder.sandbox.api import ModuleRef, Student

RETURNED = "attend_with_cache(…)"


@dataclass
class Text:
    """One text that a submission's `attend_with_cache` is led through.

    x: (B, n, d) all its tokens; right: (B, n, d) what full attention gives for them.
    """

    student: Student
    attention: ModuleRef
    x: Tensor
    right: Tensor
    check: Check
    done: int = 0  # tokens fed so far
    cache: Any = None
    fed: list[int] = field(default_factory=list)  # tokens of each step

    def feed(self, m: int) -> Tensor:
        """Sends the next m tokens and the cache, and compares. Raises Wrong when the output is not right."""
        output = self.step(m)
        right = self.right[:, self.done - m : self.done]  # (B, n, d) -> (B, m, d)
        try:
            return self.check.close(output, right, "output")
        except Wrong as wrong:
            where: dict[str, JsonValue] = {
                "schedule": list(self.fed),
                "step": len(self.fed),
                "past": self.done - m,
            }
            id = "cache.step" if wrong.id == "values.differ" else wrong.id
            raise Wrong(id, fingerprint=wrong.fingerprint, **wrong.params, **where) from None

    def step(self, m: int) -> Any:
        """Sends the next m tokens and gives back what came, not yet looked at."""
        new = self.x[:, self.done : self.done + m]  # (B, n, d) -> (B, m, d)
        # At the start the cache is left out, as a caller would: a default that remembers shows itself.
        arguments = (new, self.cache) if self.fed else (new,)
        self.fed.append(m)
        self.done += m
        got = self.student.attend_with_cache(self.attention, *arguments)
        output, self.cache = self.check.pair(got, RETURNED)
        return output


def follow(text: Text, schedule: Sequence[int]) -> None:
    """Leads a text through steps of so many tokens each."""
    for m in schedule:
        text.feed(m)


def again(text: Text) -> Text:
    """The same text from the start."""
    return replace(text, done=0, cache=None, fed=[])


def in_turn(turns: Sequence[tuple[Text, int]]) -> None:
    """Leads several texts at once, and tells what goes wrong only then from what is wrong anyway."""
    for text, m in turns:
        try:
            text.feed(m)
        except Wrong as wrong:
            if wrong.id == "cache.step":
                follow(again(text), text.fed)  # wrong on its own too: that is what is raised
                raise Wrong("cache.shared", fingerprint=wrong.fingerprint, **wrong.params) from None
            raise


def keys_and_values(cache: Any, B: int, n_head: int, n: int, d_k: int) -> tuple[Tensor, Tensor] | None:
    """(K, V) of a cache with the contract's form and length; None for any other form, which is allowed."""
    # What is not kept as a KeptRef (None, a number …) has no tensors to look at.
    pair = cache.tensors() if hasattr(cache, "tensors") else None
    if pair is None or len(pair) != 2 or any(tuple(t.shape) != (B, n_head, n, d_k) for t in pair):
        return None
    return pair[0].clone(), pair[1].clone()
