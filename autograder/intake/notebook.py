"""Where intake hands a notebook's bytes over to the notebooks room."""

from __future__ import annotations

from autograder.course import Limits
from autograder.extract.reading import read_notebook
from autograder.intake.submission import Submission


def from_notebook(data: bytes, shown: str, limits: Limits) -> Submission:
    """The exercise files in a notebook, with what could not be read."""
    found = read_notebook(data, limits)
    return Submission("", found.files, found.problems, found.flags, source=shown, cells=found.cells)
