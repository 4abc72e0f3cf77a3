"""What intake hands to the judge: bytes and reasons, nothing that was run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from autograder.extract.reading import Cell
from autograder.results import Flag, Problem, Source


@dataclass(frozen=True)
class Submission:
    """One student's work as it came in.

    `files` maps the exercises' file names ("norm.py" …) to their bytes, and those of the student's own
    modules that they import; a missing one is the unwritten exercise. `problems` says what could not be
    read, and why; `late_seconds` how late it came (None: not known). `cells`: of a notebook, as they were
    read. `sources`: where the work on each exercise was found. `seconds`: CPU seconds that reading it took.
    """

    student: str
    files: Mapping[str, bytes]
    problems: tuple[Problem, ...] = ()
    flags: tuple[Flag, ...] = ()
    late_seconds: float | None = None
    source: str = field(default="", compare=False)  # where it came from, for people
    cells: tuple[Cell, ...] = field(default=(), compare=False)
    sources: tuple[Source, ...] = ()
    seconds: float = field(default=0.0, compare=False)
