"""Under which names pages go back: those that the download gave, each of one student only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from autograder.exporters.exporter import Request, pages
from autograder.gradebook.grades import StudentGrade

# (path in the download, whose it is) -> the part of it that says whose it is; None when it does not
Part = Callable[[str, StudentGrade], "str | None"]


def download_names(request: Request, part: Part) -> dict[str, str]:
    """Student -> what their files were called.

    What several have handed in together is nobody's: the platform would show the page of one to all of them.
    """
    owners: dict[tuple[str, str], set[str]] = defaultdict(set)
    for entry in request.entries:
        owners[entry.download, entry.entry].add(entry.student)
    mine = {one.name: one for one in request.grades}
    names: dict[str, str] = {}
    for wanted in ("taken", "question", "attempt"):  # the surest first
        for entry in request.entries:
            alone = len(owners[entry.download, entry.entry]) == 1
            if alone and entry.outcome == wanted and entry.student in mine and entry.student not in names:
                name = part(entry.entry, mine[entry.student])
                if name is not None:
                    names[entry.student] = name
    return names


def by_name(request: Request, part: Part, shape: Callable[[str], str]) -> dict[str, StudentGrade]:
    """Name in the zip -> whose page. shape: from what the student's files were called to that name."""
    names = download_names(request, part)
    return {shape(names[one.name]): one for one in pages(request.grades) if one.name in names}
