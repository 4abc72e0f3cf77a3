"""Where intake hands a notebook's bytes over to the notebooks room."""

from __future__ import annotations

from autograder.course import Limits
from autograder.intake.reading import Unreadable
from autograder.intake.submission import Submission


def from_notebook(data: bytes, shown: str, limits: Limits) -> Submission:
    """The exercise files in a notebook, with what could not be read. Raises Unreadable."""
    raise Unreadable("notebook.not_supported", file=shown)
