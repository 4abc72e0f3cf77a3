"""nbgrader: "submitted/<student>/<assignment>/exercises.ipynb", and timestamp.txt beside it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from autograder.collect.platforms.platform import Parse, Parsed, Path, Platform, Who
from autograder.collect.source import CannotRead, Download, Entry
from autograder.gradebook.students import Student

STAMP = "timestamp.txt"


def parser(download: Download, roster: Sequence[Student]) -> Parse:
    """The folder of the course, or its submitted/ as it is."""
    inside = download.name == "submitted" or any(
        e.path[-1] == STAMP and len(e.path) == 3 for e in download.entries
    )
    stamps = {e.path[:-1]: e for e in download.entries if e.path[-1] == STAMP and e.size < 200}
    stamped = cache(lambda folder: _time(stamps.get(folder)))  # read once for all files of a folder

    def parse(path: Path) -> Parsed | None:
        if path[0] == "submitted":
            start = 1
        elif inside:
            start = 0
        else:
            return None
        if len(path) < start + 3:
            return None
        who = Who(username=path[start])
        when = stamped(path[: start + 2])
        if path[-1] == STAMP:
            return Parsed((who,), path[start + 2 :], "sidecar", note="nbgrader's time of handing in")
        return Parsed((who,), path[start + 2 :], "work", when, STAMP if when else "")

    return parse


def _time(entry: Entry | None) -> datetime | None:
    """ "2027-03-01 20:41:00.123456 America/Sao_Paulo"; nbgrader reads a time without a zone as UTC."""
    try:
        text = entry.read().decode("utf-8").strip() if entry is not None else ""
        day, _, rest = text.partition(" ")
        hour, _, zone = rest.partition(" ")
        if zone and zone[0].isalpha():
            return datetime.fromisoformat(f"{day} {hour}").replace(tzinfo=ZoneInfo(zone))
        at = datetime.fromisoformat(text)
    except (ValueError, CannotRead, ZoneInfoNotFoundError):
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


PLATFORM = Platform("nbgrader", "nbgrader", parser)
