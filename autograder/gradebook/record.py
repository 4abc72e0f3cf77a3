"""OUT/run.json: what a folder of results came from, so that grades and exports need not be told again."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, ValidationError

from autograder.results import Data, Problem
from autograder.store import read_bounded, write_text

RUN = "run.json"


class Late(Data):
    """What another system (nbgrader) says of one submission. seconds: how late it is, None where nobody knows;
    penalty: in points; points: exercise -> what a person has given there."""

    seconds: float | None
    penalty: float
    points: dict[str, float] = Field(default_factory=dict)


class RunRecord(Data):
    """submissions, course: paths from the folder of results (None: an nbgrader course, the kit's course.toml).

    whole: whether the run came to its end. tables: names of the tables that lay beside the class. students: all
    that were found, in order. problems: student -> what the run said about them beside their result. late:
    student -> what nbgrader says, after a run with --nbgrader. told: student -> the sentences about their grade
    that their page has, in `lang`.
    """

    submissions: str | None
    course: str | None
    lang: str
    version: str
    whole: bool = False
    tables: list[str] = Field(default_factory=list)
    students: list[str] = Field(default_factory=list)
    problems: dict[str, list[Problem]] = Field(default_factory=dict)
    late: dict[str, Late] | None = None
    told: dict[str, list[str]] = Field(default_factory=dict)

    def class_folder(self, out: Path) -> Path | None:
        """The folder that was graded, wherever it is now; None for an nbgrader course."""
        return None if self.submissions is None else (out / self.submissions).resolve()


def write_record(out: Path, record: RunRecord) -> None:
    """Writes OUT/run.json. Raises StoreError."""
    write_text(out / RUN, record.model_dump_json(indent=1) + "\n")


def read_record(out: Path) -> RunRecord | None:
    """OUT/run.json; None when there is none that can be read."""
    try:
        return RunRecord.model_validate_json(read_bounded(out / RUN))
    except (OSError, ValidationError, ValueError):
        return None
