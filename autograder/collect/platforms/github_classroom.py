"""GitHub Classroom: "<slug>-submissions/<slug>-<login>/…", each a git clone. Times are those of the last commit,
which the student's own machine has written."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone

from autograder.collect.platforms.platform import Parse, Parsed, Path, Platform, Who
from autograder.collect.source import CannotRead, Download
from autograder.gradebook.students import Student

LOG = (".git", "logs", "HEAD")


def parser(download: Download, roster: Sequence[Student]) -> Parse:
    """What all folders' names begin with is the assignment's; the rest is the login."""
    clones = sorted({e.path[0] for e in download.entries if e.path[1:] == LOG})
    folders = clones or sorted({e.path[0] for e in download.entries if len(e.path) > 1})
    name = download.name.removesuffix(".zip")
    named = name.endswith("-submissions")
    slug = os.path.commonprefix(folders)
    slug = slug[: slug.rfind("-") + 1]
    if len(folders) == 1 or named:
        slug = f"{name.removesuffix('-submissions')}-"
    times = {e.path[0]: _committed(e.read) for e in download.entries if e.path[1:] == LOG}

    def parse(path: Path) -> Parsed | None:
        if len(path) < 2 or not slug or not path[0].startswith(slug) or path[0] not in folders:
            return None
        if not clones and not named:
            return None
        who = Who(username=path[0][len(slug) :])
        when = times.get(path[0])
        if path[1:] == LOG:
            return Parsed((who,), path[1:], "sidecar", note="git's own file; its last commit's time is used")
        return Parsed((who,), path[1:], "work", when, "last commit" if when else "")

    return parse


def _committed(read: Callable[[], bytes]) -> datetime | None:
    """The time in the last line of .git/logs/HEAD: "<old> <new> Name <mail> 1772420341 -0300\\t…"."""
    try:
        words = read().splitlines()[-1].partition(b"\t")[0].split()
        seconds, offset = int(words[-2]), words[-1].decode("ascii")
        minutes = (int(offset[1:3]) * 60 + int(offset[3:5])) * (-1 if offset[0] == "-" else 1)
        return datetime.fromtimestamp(seconds, UTC).astimezone(timezone(timedelta(minutes=minutes)))
    except (CannotRead, ValueError, IndexError, OverflowError, OSError, UnicodeDecodeError):
        return None


PLATFORM = Platform("github-classroom", "GitHub Classroom", parser)
