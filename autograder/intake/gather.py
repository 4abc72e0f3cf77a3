"""An Incoming -> every file in it that could be work, from folders and archives alike, to any sane depth.

Nothing is chosen here and nothing is unpacked. What was not looked at is named.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from autograder.assignment import Assignment
from autograder.intake.archive import ending, in_archive
from autograder.intake.caps import NESTED, Caps
from autograder.intake.entries import Entry, listed
from autograder.intake.inbox import Incoming
from autograder.intake.left_out import LeftOut, some
from autograder.intake.links import Links
from autograder.intake.names import expected, nobodys, printable, shortened
from autograder.intake.reading import Unreadable, read_regular
from autograder.results import Flag, Problem


@dataclass
class Gathered:
    """What lies in a submission.

    `entries`: all files, those in hidden folders last and marked; an archive that was opened is not among
    them, its members are, with its name as one of their folders (not when it is the submission itself).
    `problems`: why something was not looked at, also where all that matters was found elsewhere; `left_out`
    names it.
    """

    entries: list[Entry] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    links: Links = field(default_factory=Links)

    @property
    def flags(self) -> list[Flag]:
        """What a person must look at in files that were read."""
        return [Flag(id="shared_file", params={"file": shown}) for shown in self.links.asked]

    @property
    def shown(self) -> list[Entry]:
        """The entries that are not hidden."""
        return [entry for entry in self.entries if not entry.hidden]


def gathered(one: Incoming, assignment: Assignment) -> Gathered:
    """All files of one submission. Whatever a student did, it does not raise."""
    found = Gathered(links=Links(one.neighbours))
    if one.problem is not None:
        found.problems.append(one.problem)
        found.left_out.append(printable(shortened(one.path.name)))
    if one.kind == "refused":
        return found
    caps, left = Caps.of(assignment), LeftOut()
    try:
        if one.kind == "folder":
            _open_all(listed(one.path, caps, left, found.links), caps, left, found)
        else:
            _single(one, caps, left, found)
    except Unreadable as e:
        found.problems.append(e.problem)
        found.left_out.append(printable(shortened(one.path.name)))
    found.entries.sort(key=lambda entry: entry.hidden)
    found.problems += left.problems
    found.left_out += left.paths(hidden=not found.shown)
    return found


def why_nothing(found: Gathered, assignment: Assignment) -> list[Problem]:
    """Why there is nothing to grade in it; that nothing was handed in is only said where nothing lies."""
    shown = found.shown
    if shown:
        names = ", ".join(expected(assignment))
        params = {"found": some([entry.shown for entry in shown]), "expected": names}
        return [*found.problems, Problem(id="folder.unknown", params=dict(params))]
    hidden = [entry.shown for entry in found.entries if not nobodys(entry.name)]
    if hidden:
        return [*found.problems, Problem(id="folder.hidden", params={"found": some(hidden)})]
    if found.problems:
        return list(found.problems)
    if found.left_out:
        return [Problem(id="folder.hidden", params={"found": some(found.left_out)})]
    return [Problem(id="folder.empty", params={})]


def _single(one: Incoming, caps: Caps, left: LeftOut, found: Gathered) -> None:
    """A submission that is one file. Raises Unreadable."""
    name = one.path.name
    shown = printable(shortened(name))
    entry = Entry((name,), lambda limit: read_regular(one.path, limit, shown, found.links))
    if one.kind != "archive" and one.kind != "zip":
        found.entries.append(entry)
        return
    data = entry.read(caps.archive_bytes)
    caps.archives -= 1
    members = in_archive(data, name, entry.shown, (), caps, left, hidden=False)
    _open_all(members, caps, left, found, depth=1)


def _open_all(first: Iterator[Entry], caps: Caps, left: LeftOut, found: Gathered, depth: int = 0) -> None:
    """Sorts entries into `found`, members in their archive's place. Raises Unreadable for `first`."""
    archives = {False: deque[tuple[Entry, int]](), True: deque[tuple[Entry, int]]()}
    _sort(first, depth, archives, found)
    while any(archives.values()):
        hidden = not archives[False]
        entry, depth = archives[hidden].popleft()
        if depth > NESTED or caps.archives <= 0:
            left.add(
                "zip.too_nested" if depth > NESTED else "zip.too_many_archives", entry.path, hidden=hidden
            )
            continue
        caps.archives -= 1
        try:
            data = entry.read(caps.room(caps.archive_bytes))
            members = in_archive(data, entry.name, entry.shown, entry.path, caps, left, hidden=hidden)
            before = len(found.entries), sum(map(len, archives.values()))
            _sort(members, depth + 1, archives, found)
            if not hidden and before == (len(found.entries), sum(map(len, archives.values()))):
                left.add("zip.empty", entry.path)
        except Unreadable as e:
            if hidden:
                left.add("", entry.path, hidden=True)
            else:
                found.left_out.append(entry.shown)
                found.problems.append(e.problem)


def _sort(
    entries: Iterator[Entry], depth: int, archives: dict[bool, deque[tuple[Entry, int]]], found: Gathered
) -> None:
    for entry in entries:
        if ending(entry.name):
            archives[entry.hidden].append((entry, depth))
        else:
            found.entries.append(entry)
