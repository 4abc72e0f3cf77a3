"""Moodle: "Ana Souza_12345_assignsubmission_file/work.py", or flat with the file's name behind it.

The participant id is one of this assignment only. The name part may be a group's, or "Participant" in any
language where students are anonymous.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from autograder.collect.platforms.platform import Parse, Parsed, Path, Platform, Who
from autograder.collect.source import Download
from autograder.gradebook.names import group_name, listed_groups
from autograder.gradebook.students import Student

SHAPE = re.compile(
    r"(?P<name>[^_]+)_(?:(?P<id>\d+)_)?(?P<sort>assignsubmission|assignfeedback)_(?P<plugin>[a-z]+)(?:_(?P<rest>.*))?"
)


def parser(download: Download, roster: Sequence[Student]) -> Parse:
    """Groups are known from the roster's `group`; a folder without an id is a group's, too."""
    groups = {group_name(group) for one in roster for group in listed_groups(one.group)}

    def parse(path: Path) -> Parsed | None:
        found = SHAPE.fullmatch(path[0])
        if found is None:
            return None
        rest = found["rest"] or ""
        file = (*([rest] if rest else []), *path[1:])
        name, number = found["name"].strip(), found["id"] or ""
        who = Who(name=name, lms_id=number, sure=False)
        if not number or group_name(name) in groups:
            who = Who(group=name, lms_id=number)
        if found["sort"] == "assignfeedback":
            return Parsed((who,), file, "sidecar", note="feedback of an earlier round")
        if found["plugin"] != "file":
            return Parsed((who,), file, "text", note="typed into Moodle")
        return Parsed((who,), file)

    return parse


PLATFORM = Platform("moodle", "Moodle", parser, times=True)
