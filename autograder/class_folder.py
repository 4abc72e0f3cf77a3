"""The layout of a class: a folder for each student, tables beside them, and attempts that do not count.

CLASS/<student>/                 the attempt that counts
CLASS/.attempts/<student>/<n>/   the others
"""

from __future__ import annotations

import re

STUDENTS = "students.csv"  # who is in it
COLLECTED = "collected.csv"  # what came in from a platform
OVERRIDES = "overrides.csv"  # what a person has decided
TABLES = (STUDENTS, COLLECTED, OVERRIDES)
ATTEMPTS = ".attempts"
SETTINGS = ".collect.json"  # how it was filled


def attempt_name(student: str, attempt: str) -> str:
    """What an attempt is called that is graded beside the one that lies in the student's own folder."""
    return f"{student} [attempt {attempt}]"


def attempt_of(name: str) -> tuple[str, str] | None:
    """(student, attempt) of such a name; None for the name of a student."""
    found = re.fullmatch(r"(.+) \[attempt (\d{1,6})\]", name)
    return (found[1], found[2]) if found else None
