"""ILIAS: "<Last>_<First>_<login>_<user id>/work.py", of a team below "Team <id>"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from autograder.collect.platforms.platform import Parse, Parsed, Path, Platform, Who
from autograder.collect.source import Download
from autograder.gradebook.students import Student

SHAPE = re.compile(r"(?P<last>[^_]+)_(?P<first>[^_]+)_(?P<login>.+)_(?P<id>\d+)")


def parser(download: Download, roster: Sequence[Student]) -> Parse:
    """The folder may lie below others whose names are in the platform's language."""

    def parse(path: Path) -> Parsed | None:
        for i, part in enumerate(path[:-1]):
            if found := SHAPE.fullmatch(part):
                who = Who(f"{found['first']} {found['last']}", found["id"], found["login"])
                return Parsed((who,), path[i + 1 :])
        return None

    return parse


PLATFORM = Platform("ilias", "ILIAS", parser, times=True)
