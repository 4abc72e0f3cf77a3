"""The layout of a class: a folder for each student, tables beside them, and attempts that do not count.

CLASS/<student>/                 the attempt that counts
CLASS/.attempts/<student>/<n>/   the others
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from pydantic import ValidationError

from autograder.results import Data
from autograder.store import path_from, read_bounded, write_text

STUDENTS = "students.csv"  # who is in it
COLLECTED = "collected.csv"  # what came in from a platform
OVERRIDES = "overrides.csv"  # what a person has decided
TABLES = (STUDENTS, COLLECTED, OVERRIDES)
ATTEMPTS = ".attempts"
SETTINGS = ".collect.json"  # how it was filled


class _Settings(Data):
    """course: path of the course.toml from the class; None: the kit's own."""

    course: str | None = None


def remember_course(folder: Path, course: Path | None) -> None:
    """Writes down by which course.toml a class was filled: its deadline's zone is that of times without one.
    Raises StoreError."""
    told = _Settings(course=None if course is None else path_from(folder, course))
    write_text(folder / SETTINGS, told.model_dump_json() + "\n")


def course_of(folder: Path) -> Path | None:
    """The course.toml by which a class was filled; None: the kit's own, or `collect` has not filled it."""
    try:
        told = _Settings.model_validate_json(read_bounded(folder / SETTINGS))
    except (OSError, ValidationError, ValueError):
        return None
    return None if told.course is None else Path(os.path.normpath(folder / told.course))


def attempt_name(student: str, attempt: str) -> str:
    """What an attempt is called that is graded beside the one that lies in the student's own folder."""
    return f"{student} [attempt {attempt}]"


def attempt_of(name: str) -> tuple[str, str] | None:
    """(student, attempt) of such a name; None for the name of a student."""
    found = re.fullmatch(r"(.+) \[attempt (\d{1,6})\]", name)
    return (found[1], found[2]) if found else None
