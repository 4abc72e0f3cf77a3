"""Canvas: "doejane[_LATE]_<user id>_<attachment id>_work.py", all in one folder.

The name is the sortable one without anything but word characters. Text entries and links have no second number;
anonymous ones "anon_<id>" in the place of name and number. A number that a group's name ends in looks like a
user id: the roster decides. A group's entry is named like the group, which the roster knows, too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from autograder.collect.platforms.platform import Parse, Parsed, Path, Platform, Who
from autograder.collect.source import Download
from autograder.gradebook.names import listed_groups
from autograder.gradebook.students import Student

TYPED = {"text.html": "typed into Canvas", "link.html": "a link that was handed in"}


def parser(download: Download, roster: Sequence[Student]) -> Parse:
    """The first number that is a known user's is the user; without a roster, the first one that a number or a
    typed text follows."""
    known = {one.lms_id for one in roster if one.lms_id}
    groups = {_bare(group): group for one in roster for group in listed_groups(one.group) if _bare(group)}

    def parse(path: Path) -> Parsed | None:
        found = _parsed(path[0].split("_"), known, path[1:]) if len(path) == 1 else None
        if found is not None and (group := groups.get(_bare(found.people[0].name))):
            return replace(found, people=(Who(group=group),))  # the number is that of one of them
        return found

    return parse


def _parsed(parts: list[str], known: set[str], more: Path) -> Parsed | None:
    marks = [i for i, part in enumerate(parts[:-1]) if part == "LATE" and (i == 0 or _is_id(parts[i + 1]))]
    mark = marks[0] if marks else None
    late = mark is not None
    parts = [part for i, part in enumerate(parts) if i != mark]
    if len(parts) > 3 and parts[0] == "anon" and parts[2].isdecimal():
        who = Who(lms_id=f"anon_{parts[1]}")
        return Parsed((who,), ("_".join(parts[3:]),), late=late, note="anonymous")
    places = [i for i in range(1, len(parts) - 1) if _is_id(parts[i]) and _fits(parts, i)]
    if not places:
        return None
    at = next((i for i in places if parts[i] in known), places[0])
    name, number, rest = "_".join(parts[:at]), parts[at], parts[at + 1 :]
    typed = TYPED.get("_".join(rest))
    if typed is not None:
        return Parsed((Who(name=name, lms_id=number),), ("_".join(rest),), "text", late=late, note=typed)
    return Parsed((Who(name=name, lms_id=number),), ("_".join(rest[1:]),), late=late)


def _bare(name: str) -> str:
    """A name as Canvas has it in a file's name."""
    return re.sub(r"\W+", "", name.casefold())


def _is_id(part: str) -> bool:
    return re.fullmatch(r"[0-9]{1,19}", part) is not None


def _fits(parts: list[str], at: int) -> bool:
    """Whether an attachment's number and a file, or a typed text, come behind a user's number."""
    rest = parts[at + 1 :]
    return "_".join(rest) in TYPED or (len(rest) > 1 and _is_id(rest[0]))


PLATFORM = Platform("canvas", "Canvas", parser)
