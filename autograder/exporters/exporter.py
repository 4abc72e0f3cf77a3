"""What an exporter is: a pure function of grades and what the instructor gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Protocol

from pydantic import JsonValue

from autograder.assignment import Assignment
from autograder.gradebook.collected import Entry
from autograder.gradebook.grades import StudentGrade
from autograder.results import Message

PAGE = "feedback.html"


class ExportError(Exception):
    """Nothing can be exported; the text says why and what to do."""


@dataclass(frozen=True)
class Request:
    """What to export. course: its course.toml, where it is not the kit's; into: the instructor's own file;
    column: in it; entries: of collected.csv; comments: put words into the file, too; scale: convert to the
    points of the file's column; excel: for Excel, in `lang`."""

    grades: Sequence[StudentGrade]
    assignment: Assignment
    lang: str
    course: Path | None = None
    into: Path | None = None
    column: str | None = None
    entries: Sequence[Entry] = ()
    comments: bool = False
    scale: bool = False
    excel: bool = False


@dataclass
class Exported:
    """files: name -> bytes. said: what came of it, for people; `names` in the parameters are all of them."""

    files: dict[str, bytes] = field(default_factory=dict)
    said: list[Message] = field(default_factory=list)

    def say(self, id: str, **params: JsonValue) -> None:
        """One sentence of feedback/messages/."""
        self.said.append(Message(id=id, params=params))

    def tell(self, id: str, names: Sequence[str], **params: JsonValue) -> None:
        """Says something of several people, if there are any."""
        if names:
            self.say(id, n=len(names), names=list(names), **params)


class Exporter(Protocol):
    """name: as in --format. told: the platform's. options: those of Request's that mean something to it; "into"
    fills a file of the instructor's."""

    name: str
    told: str
    options: frozenset[str]

    def export(self, request: Request) -> Exported:
        """The table of grades. Raises ExportError, TableError."""

    def feedback(self, request: Request) -> dict[str, StudentGrade] | None:
        """Name in the zip that the platform takes back -> whose page; None where it takes none."""


def points(value: Decimal, comma: bool = False) -> str:
    """A number as a file has it: no zeros at the end, and its decimal mark."""
    text = f"{value:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace(".", ",") if comma else text


def pages(grades: Sequence[StudentGrade]) -> list[StudentGrade]:
    """Those who have a page to hand back."""
    return [one for one in grades if one.folder is not None and (one.folder / PAGE).is_file()]
