"""collected.csv beside a class: everything that came in from a platform, what it was taken as, or why not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autograder.gradebook.tables import Row, read_table

OUTCOMES = ("taken", "attempt", "left_out", "question")


@dataclass(frozen=True)
class Entry(Row):
    """One file of a download. outcome: one of OUTCOMES; `attempt` is kept, but another attempt counts.

    download: the archive or folder; entry: its path in there, as it was; student: key of students.csv;
    submitted_at: ISO 8601 with offset; taken_as: its path beside this file; why: for `left_out` and
    `question`, and what was changed in a name.
    """

    download: str
    entry: str
    student: str = ""
    attempt: str = ""
    submitted_at: str = ""
    time_from: str = ""
    outcome: str = "left_out"
    taken_as: str = ""
    why: str = ""
    sha256: str = ""


def read_collected(path: Path) -> list[Entry]:
    """collected.csv. Raises TableError."""
    return [Entry.of(record) for record in read_table(path).records()]
