"""Gradescope: "assignment_<id>_export/submission_<id>/…" and submission_metadata.yml, which names the people."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

import yaml

from autograder.collect.platforms.platform import Parse, Parsed, Path, Platform, Who
from autograder.collect.source import CannotRead, Download
from autograder.gradebook.students import Student

METADATA = "submission_metadata.yml"
LARGEST = 64 << 20  # bytes of it: it holds all output of all tests of all attempts


def parser(download: Download, roster: Sequence[Student]) -> Parse:
    """Without a metadata file that can be read, a submission is known by its number."""
    told = cache(lambda: _metadata(download))  # large: read where there are submissions to ask it about

    def parse(path: Path) -> Parsed | None:
        if path[-1] == METADATA:
            return Parsed((), path, "sidecar", note="Gradescope's list of submissions")
        if len(path) < 2 or not path[0].startswith("submission_"):
            return None
        one = told().get(path[0])
        one = one if isinstance(one, dict) else {}
        named = one.get(":submitters")
        people = tuple(_who(p) for p in named if isinstance(p, dict)) if isinstance(named, list) else ()
        at = one.get(":created_at")
        when = at if isinstance(at, datetime) else None
        time_from = METADATA if when else ""
        return Parsed(people or (Who(lms_id=path[0]),), path[1:], when=when, time_from=time_from)

    return parse


def _metadata(download: Download) -> dict[str, Any]:
    for entry in download.entries:
        if entry.path[-1] == METADATA and entry.size <= LARGEST:
            try:
                # No Ruby symbols in Python: ":name" is a string with a colon.
                found = yaml.load(entry.read(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
            except (yaml.YAMLError, CannotRead, ValueError, RecursionError):
                return {}
            return found if isinstance(found, dict) else {}
    return {}


def _who(person: dict[str, Any]) -> Who:
    def text(key: str) -> str:
        return str(person.get(key) or "").strip()

    return Who(name=text(":name"), student_number=text(":sid"), email=text(":email"))


PLATFORM = Platform("gradescope", "Gradescope", parser)
