"""students.csv beside a class: who is in it, how each platform calls them, and when they handed in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from autograder.course import duration
from autograder.gradebook.tables import Row, TableError, read_table

MOST_SAID = 10  # rows that are wrong
# Times that nothing may be taken off for: an archive's may be those of packing it.
UNSURE = {"archive time"}


@dataclass(frozen=True)
class Student(Row):
    """One person of a class. All ids are text, as the platform writes them; "" is not known.

    student: key of this person everywhere in the kit, and the name of their folder in the class.
    lms_id: the platform's own number (Canvas user id, Moodle participant id, Gradescope sid).
    extension: a date with offset, or a duration such as "2d" or "36h". submitted_at: ISO 8601 with offset, of
    the attempt that counts; time_from says where that time is from. attempt: its number, from 1. late: the
    platform's own mark. question: what a person must decide about this row.
    """

    student: str
    name: str = ""
    email: str = ""
    lms_id: str = ""
    username: str = ""
    student_number: str = ""
    section: str = ""
    group: str = ""
    aliases: str = ""  # other names, with ";" between them
    extension: str = ""
    extension_reason: str = ""
    slip_days: str = ""  # already used for other work
    submitted_at: str = ""
    time_from: str = ""
    attempt: str = ""
    late: str = ""
    status: str = ""  # "draft": the platform says that it was not submitted
    in_roster: str = ""  # "yes", "no", or "" when there was no roster
    question: str = ""

    @property
    def when(self) -> datetime | None:
        """When they handed in; None when nobody knows, or without an offset."""
        return None if self.time_from in UNSURE else when(self.submitted_at)


def read_students(path: Path) -> list[Student]:
    """students.csv. Raises TableError with all that is wrong: no such file, no column `student`, a name that is
    empty or twice, a cell that a person has written and nobody can read."""
    table = read_table(path)
    records = table.records()
    if "student" not in (name.strip() for name in table.header):
        raise TableError(f"{path}: has no column `student`. `autograder collect` writes this file.")
    found: dict[str, Student] = {}
    wrong = []
    for line, record in enumerate(records, start=2):
        one = Student.of(record)
        if not one.student:
            wrong.append(f"row {line} has no `student`. Give the name of the folder.")
        elif one.student in found:
            wrong.append(f"{one.student!r} is there twice (row {line}). Keep one of the rows.")
        elif why := _wrong(one):
            wrong.append(f"row {line}, {one.student}: {why}")
        found[one.student] = one
    if wrong:
        raise TableError(f"{path}: " + "\n".join(wrong[:MOST_SAID]) + ("\n…" if wrong[MOST_SAID:] else ""))
    return list(found.values())


def _wrong(one: Student) -> str:
    """What is wrong with what a person may have written into a row; or ""."""
    if one.extension:
        try:
            duration(one.extension)
        except ValueError:
            if not _day_and_time(one.extension):
                return (
                    f'extension: {one.extension!r} is neither a duration ("2d", "36h") nor a day with a time '
                    "(2027-03-03T23:59)"
                )
    if one.slip_days and not one.slip_days.isdecimal():
        return f"slip_days: {one.slip_days!r} is no whole number"
    if one.submitted_at and when(one.submitted_at) is None:
        return (
            f"submitted_at: {one.submitted_at!r} is no time with an offset; write it like "
            "2027-03-01T23:59:00-03:00"
        )
    return ""


def _day_and_time(text: str) -> bool:
    """Whether it says both: of a day alone nobody knows whether it begins or ends then."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return len(text) > len("2027-03-03")


def when(text: str) -> datetime | None:
    """A time with an offset; None for everything else."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else None
