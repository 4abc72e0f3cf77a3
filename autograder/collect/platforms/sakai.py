"""Sakai: "<Assignment>/Silva, João(js12)/Submission attachment(s)/work.py", and a timestamp beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache

from autograder.collect.platforms.platform import Parse, Parsed, Path, Platform, Who
from autograder.collect.source import CannotRead, Download
from autograder.gradebook.students import Student

SHAPE = re.compile(r"(?P<name>[^()]+)\((?P<id>[^()]+)\)")
WORK = "submission attachment(s)"
OWN = {"timestamp.txt", "comments.txt", "feedbacktext.html", "feedback attachment(s)"}


def parser(download: Download, roster: Sequence[Student]) -> Parse:
    """Only below a folder "…(id)" that holds what Sakai puts there."""
    times = {e.path[:-1]: e for e in download.entries if e.path[-1] == "timestamp.txt" and e.size < 100}

    @cache
    def stamped(folder: Path) -> datetime | None:
        """The time of one student's folder, read once for all of its files."""
        try:
            return datetime.strptime(times[folder].read()[:14].decode("ascii"), "%Y%m%d%H%M%S")
        except (KeyError, ValueError, CannotRead):
            return None

    def parse(path: Path) -> Parsed | None:
        at = next((i for i, part in enumerate(path[:-1]) if SHAPE.fullmatch(part)), None)
        if at is None:
            table = Parsed((), path, "sidecar", note="Sakai's table of grades")
            return table if path[-1] == "grades.csv" else None
        found = SHAPE.fullmatch(path[at])
        assert found is not None
        who = Who(name=found["name"].strip(), username=found["id"].strip())
        when = stamped(path[: at + 1])
        time_from = "timestamp.txt" if when else ""
        if path[at + 1].casefold() == WORK and len(path) > at + 2:
            return Parsed((who,), path[at + 2 :], "work", when, time_from)
        if path[-1].endswith("_submissionText.html"):
            return Parsed((who,), path[at + 1 :], "text", when, time_from, note="typed into Sakai")
        if path[at + 1].casefold() in OWN:
            return Parsed((who,), path[at + 1 :], "sidecar", when, time_from, note="Sakai's own file")
        return None

    return parse


PLATFORM = Platform("sakai", "Sakai", parser)
