"""OUT/run.json: what a folder of results came from, so that grades and exports need not be told again."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field, ValidationError

from autograder.results import Data, Problem
from autograder.store import read_bounded, write_text

RUN = "run.json"


class RunRecord(Data):
    """submissions, course: paths from the folder of results (None: the kit's course.toml). problems: student ->
    what the last run said about them beside their result. students: all that were found, in order."""

    submissions: str | None
    course: str | None
    lang: str
    version: str
    students: list[str] = Field(default_factory=list)
    problems: dict[str, list[Problem]] = Field(default_factory=dict)

    def class_folder(self, out: Path) -> Path | None:
        """The folder that was graded, if it is still there."""
        folder = None if self.submissions is None else (out / self.submissions).resolve()
        return folder if folder is not None and folder.is_dir() else None


def write_record(out: Path, record: RunRecord) -> None:
    """Writes OUT/run.json. Raises StoreError."""
    write_text(out / RUN, record.model_dump_json(indent=1) + "\n")


def read_record(out: Path) -> RunRecord | None:
    """OUT/run.json; None when there is none that can be read."""
    try:
        return RunRecord.model_validate_json(read_bounded(out / RUN))
    except (OSError, ValidationError, ValueError):
        return None


def path_from(out: Path, path: Path) -> str:
    """A path as run.json holds it: from OUT where both lie on one drive."""
    try:
        return Path(os.path.relpath(path.resolve(), out.resolve())).as_posix()
    except ValueError:  # another drive
        return path.resolve().as_posix()
