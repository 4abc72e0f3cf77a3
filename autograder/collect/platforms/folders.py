"""A folder (or a file) for each student, named by hand: what is left when no platform is recognised."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.collect.platforms.platform import Parse, Parsed, Path, Platform, Who
from autograder.collect.source import Download
from autograder.gradebook.students import Student

ENDINGS = (".tar.gz", ".tar.bz2", ".tar.xz", ".ipynb", ".zip", ".tgz", ".tar", ".py", ".rar", ".7z")


def parser(download: Download, roster: Sequence[Student]) -> Parse:
    """The outermost folder's name, or the file's without its ending, is the student's."""

    def parse(path: Path) -> Parsed | None:
        if len(path) > 1:
            return Parsed((Who(name=path[0]),), path[1:])
        low = path[0].casefold()
        ending = next((e for e in ENDINGS if low.endswith(e)), None)
        if ending is None:
            return None
        stem = path[0][: -len(ending)]
        return Parsed((Who(name=stem),), path) if stem else None

    return parse


PLATFORM = Platform("folders", "a folder or file for each student", parser, fallback=True)
