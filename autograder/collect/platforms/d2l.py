"""Brightspace (D2L): "397063-2557369 - Mary-Ann Smith - Sep 24, 2024 926 PM/work.py". The numbers are no key."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from autograder.collect.platforms.platform import Parse, Parsed, Path, Platform, Who
from autograder.collect.source import Download
from autograder.gradebook.students import Student

SHAPE = re.compile(r"\d+-\d+ - (?P<who>.+) ?- (?P<at>[^-]+\d{3,4} ?(?:AM|PM)?)(?: - (?P<file>.+))?")
FORMATS = ("%b %d, %Y %I%M %p", "%d %b, %Y %I%M %p", "%b %d, %Y %H%M", "%d %b, %Y %H%M", "%d %B %Y %H%M")


def parser(download: Download, roster: Sequence[Student]) -> Parse:
    """A flat variant has a student's number before the name, and the file behind the time."""

    def parse(path: Path) -> Parsed | None:
        if path == ("index.html",):
            return Parsed((), path, "sidecar", note="Brightspace's overview")
        found = SHAPE.fullmatch(path[0])
        if found is None:
            return None
        name, number = found["who"].strip(" -"), ""
        first, dash, rest = name.partition(" - ")
        if dash and re.fullmatch(r"#?\w*\d\w*", first):
            name, number = rest.strip(), first.lstrip("#")
        file = (*([found["file"]] if found["file"] else []), *path[1:])
        when = _time(found["at"].strip())
        if not file:
            return None
        who = Who(name=name, student_number=number)
        return Parsed((who,), file, "work", when, "name" if when else "", attempt=found["at"].strip())

    return parse


def _time(text: str) -> datetime | None:
    """English dates; others are not guessed."""
    padded = re.sub(r"(?<= )(\d)(\d\d)(?= [AP]M)", r"0\1\2", text)
    for form in FORMATS:
        try:
            return datetime.strptime(padded, form)
        except ValueError:
            continue
    return None


PLATFORM = Platform("d2l", "Brightspace (D2L)", parser)
