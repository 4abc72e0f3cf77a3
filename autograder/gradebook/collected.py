"""collected.csv beside a class: everything that came in from a platform, what it was taken as, or why not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self

from autograder.gradebook.tables import read_table, table_text

OUTCOMES = ("taken", "attempt", "left_out", "question")


@dataclass(frozen=True)
class Entry:
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

    @classmethod
    def of(cls, record: dict[str, str]) -> Self:
        """From a row; columns that are not ours are left out."""
        return cls(**{name: record.get(name, "") for name in COLUMNS})

    def cells(self) -> list[str]:
        """The row of this file, in the order of COLUMNS."""
        return [getattr(self, name) for name in COLUMNS]


COLUMNS = tuple(f.name for f in fields(Entry))


def read_collected(path: Path) -> list[Entry]:
    """collected.csv. Raises TableError."""
    return [Entry.of(record) for record in read_table(path).records()]


def collected_text(entries: Sequence[Entry]) -> str:
    """The text of collected.csv."""
    return table_text(COLUMNS, [one.cells() for one in entries])
