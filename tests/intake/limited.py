"""The kit's assignment with other limits."""

from __future__ import annotations

from autograder.assignment import Assignment, load_assignment
from autograder.course import Limits
from autograder.extract.reading import Chosen, Text, choose


def limited(limits: Limits | None = None) -> Assignment:
    """The kit's own, with these limits (or the usual ones)."""
    return load_assignment().model_copy(update={"limits": limits or Limits()})


def read_notebook(data: bytes, limits: Limits | None = None) -> Chosen:
    """One notebook alone, taken apart."""
    assignment = limited(limits)
    return choose(
        [Text((assignment.notebook,), assignment.notebook, data, True, assignment.notebook)], assignment
    )
