"""What a platform says of one entry of its download."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from autograder.collect.source import Download
from autograder.gradebook.students import Student

Path = tuple[str, ...]
# work: what a student handed in; text: what they typed into the platform; sidecar: the platform's own notes
Kind = Literal["work", "text", "sidecar"]


@dataclass(frozen=True)
class Who:
    """Whom a download names: whatever it says of them. group: several people stand behind one entry. sure:
    lms_id is theirs in every assignment."""

    name: str = ""
    lms_id: str = ""
    username: str = ""
    email: str = ""
    student_number: str = ""
    group: str = ""
    sure: bool = True


@dataclass(frozen=True)
class Parsed:
    """One entry, understood. people: several where they handed in together; file: its path in the submission;
    when, time_from: as far as the platform says it; attempt: what tells attempts in one download apart."""

    people: tuple[Who, ...]
    file: Path
    kind: Kind = "work"
    when: datetime | None = None
    time_from: str = ""
    late: bool = False
    attempt: str = ""
    note: str = ""


Parse = Callable[[Path], "Parsed | None"]


@dataclass(frozen=True)
class Platform:
    """name: as in --lms. parser: a parser for one download, which may look at all of it and at the roster
    first; told: for people. fallback: fits everything, so it is asked last."""

    name: str
    told: str
    parser: Callable[[Download, Sequence[Student]], Parse]
    times: bool = False  # whether the times of an archive's entries mean something here
    fallback: bool = False
