"""Names that a person should look at: used where course.toml says they are not allowed, or of no use to any
exercise. Never changes a score."""

from __future__ import annotations

from collections.abc import Mapping

from autograder.assignment import Assignment
from autograder.extract.reading import Found, scanned
from autograder.results import Flag

MOST = 20  # flags of one submission; of more there is only the number

# What no exercise here has a use for: other processes, the network, raw memory, other people's stack frames.
NEEDLESS = frozenset(
    {
        "socket", "subprocess", "multiprocessing", "ctypes", "ptrace", "fork", "execv", "execve", "system",
        "popen", "kill", "_exit", "_getframe", "get_objects", "memfd_create", "solutions", "autograder",
    }
)  # fmt: skip


def suspicious(files: Mapping[str, bytes], assignment: Assignment) -> list[Flag]:
    """Where a submission's code (not its comments) uses a name of `not_allowed`, or one of NEEDLESS: one flag
    per name and file. The sandbox holds either way; this is for the person who reads the class page.

    A name of `not_allowed` counts in the exercise's file, in whatever file defines the exercise, and in what
    these use of the submission's other files.
    """
    not_allowed = _not_allowed(assignment)
    found, unread = scanned(files, {**dict.fromkeys(NEEDLESS, ((), ())), **not_allowed})
    flags = [
        *(_flag("not_allowed", one) for one in found if one.name in not_allowed),
        *(_flag("needless", one) for one in found if one.name not in not_allowed),
    ]
    rest = [Flag(id="more_uses", params={"n": len(flags) - MOST})] if len(flags) > MOST else []
    return [*flags[:MOST], *rest, *(Flag(id="not_scanned", params={"file": file}) for file in unread[:MOST])]


def _not_allowed(assignment: Assignment) -> dict[str, tuple[set[str], set[str]]]:
    """Name -> the files and the symbols of the exercises that are to do without it, other names of the same
    thing included."""
    names: dict[str, tuple[set[str], set[str]]] = {}
    for exercise in assignment.exercises:
        for name in exercise.not_allowed:
            for other in (name, *assignment.same_as.get(name, ())):
                files, symbols = names.setdefault(other, (set(), set()))
                files.add(exercise.file)
                symbols.update(exercise.symbols)
    return names


def _flag(id: str, one: Found) -> Flag:
    return Flag(id=id, params={"name": one.spelt, "file": one.file, "line": one.line})
