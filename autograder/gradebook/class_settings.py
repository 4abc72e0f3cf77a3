"""What a class remembers of how it was filled."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import ValidationError

from autograder.class_folder import SETTINGS
from autograder.results import Data
from autograder.store import path_from, read_bounded, write_text


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
