"""Blackboard: "<assignment>_<username>_attempt_2027-03-01-23-59-01[_<file>]", and a note with the same name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from autograder.collect.platforms.platform import Parse, Parsed, Path, Platform, Who
from autograder.collect.source import Download
from autograder.gradebook.students import Student

SHAPE = re.compile(
    r"(?P<before>.+)_attempt_(?P<at>\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d)(?:_(?P<file>.+)|(?P<note>\.txt))?"
)


def parser(download: Download, roster: Sequence[Student]) -> Parse:
    """A user name may hold "_": the longest one of the roster that fits decides."""
    names = sorted((one.username for one in roster if one.username), key=len, reverse=True)

    def parse(path: Path) -> Parsed | None:
        found = SHAPE.fullmatch(path[0]) if len(path) == 1 else None
        if found is None:
            return None
        before = found["before"]
        user = next((n for n in names if before.casefold().endswith(f"_{n.casefold()}")), "")
        who = Who(username=user or before.rpartition("_")[2])
        try:
            when = datetime.strptime(found["at"], "%Y-%m-%d-%H-%M-%S")
        except ValueError:
            when = None
        if not found["file"]:
            return Parsed((who,), path, "sidecar", note="Blackboard's note of the attempt")
        return Parsed((who,), (found["file"],), "work", when, "name" if when else "", attempt=found["at"])

    return parse


PLATFORM = Platform("blackboard", "Blackboard", parser)
