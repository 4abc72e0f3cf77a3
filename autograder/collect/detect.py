"""Which platform a download is from, by what is in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from autograder.collect.platforms import PLATFORMS
from autograder.collect.platforms.platform import Parsed, Platform
from autograder.collect.source import Download, DownloadError, Entry
from autograder.gradebook.students import Student
from autograder.intake.names import Expected, meant

WRAPPERS = 3  # folders around the whole that are taken off
ENOUGH = 0.5  # of all entries must be understood


@dataclass(frozen=True)
class Recognised:
    """A download without what wraps it whole. parsed: each entry, and what the platform says of it."""

    platform: Platform
    download: Download
    parsed: tuple[tuple[Entry, Parsed | None], ...]

    @property
    def understood(self) -> int:
        """How many of its entries."""
        return sum(parsed is not None for _, parsed in self.parsed)


def recognise(
    download: Download, roster: Sequence[Student], work: Expected, wanted: str = "auto"
) -> Recognised:
    """The platform that understands most of the entries, or the one that is wanted. work: the files of an
    exercise, which are nobody's name. Raises DownloadError."""
    if not download.entries:
        raise DownloadError(
            f"{download.name}: holds no files. Give the zip that the platform made, or a folder."
        )
    only = download.entries[0]
    if wanted == "auto" and download.archive and len(download.entries) == 1 and only.shown.endswith(".zip"):
        raise DownloadError(
            f"{download.name}: holds nothing but {only.shown!r}. Unpack it and give that one (with --lms folders "
            "it is taken for a student's work)."
        )
    asked = [p for p in PLATFORMS if wanted in ("auto", p.name)]
    found = [one for inner in _unwrapped(download) for one in (_read(p, inner, roster) for p in asked)]
    good = [one for one in found if one.understood >= ENOUGH * len(one.download.entries)]
    named = [one for one in good if not one.platform.fallback]
    if named:
        return max(named, key=lambda one: one.understood)  # of equals the first: the outermost folder
    if wanted != "auto" and not any(p.fallback for p in asked):
        first = download.entries[0].shown
        raise DownloadError(
            f"{download.name}: does not look like a download of {asked[0].told} (it holds {first!r}). "
            "Leave --lms out to have it recognised."
        )
    if not good:
        raise DownloadError(f"{download.name}: holds nothing that looks like students' work.")
    return max(good, key=lambda one: (_is_a_class(one.download, work), one.understood))


def _is_a_class(download: Download, work: Expected) -> bool:
    """Whether that is the folder which holds the students' folders, and not one around it or one of them."""
    tops = {entry.path[0] for entry in download.entries}
    loose = [e.path[0] for e in download.entries if len(e.path) == 1]
    of_one = sum(meant(name, work) is not None for name in loose)
    return len(tops) > 1 and not (loose and 2 * of_one >= len(loose))


def _read(platform: Platform, download: Download, roster: Sequence[Student]) -> Recognised:
    parse = platform.parser(download, roster)
    return Recognised(platform, download, tuple((one, parse(one.path)) for one in download.entries))


def _unwrapped(download: Download) -> list[Download]:
    """The download, and without each folder that wraps all of it."""
    found = [download]
    for _ in range(WRAPPERS):
        inner = found[-1]
        tops = {entry.path[0] for entry in inner.entries}
        if len(tops) != 1 or any(len(entry.path) < 2 for entry in inner.entries):
            break
        entries = [replace(entry, path=entry.path[1:]) for entry in inner.entries]
        found.append(replace(inner, name=tops.pop(), entries=entries))
    return found
