"""What a person should look at, the serious first, for terminal, grades.csv and class page alike."""

from __future__ import annotations

from collections.abc import Iterable

from autograder.results import Flag

# From an attempt to get at the grader down to what could not be looked through. All other flags are notes: the
# student is told, and nobody needs to do anything.
SERIOUS_FIRST = (
    "attack", "not_allowed", "needless", "shared_file", "not_measured", "left_out", "not_scanned",
)  # fmt: skip


def to_look_at(flags: Iterable[Flag]) -> list[Flag]:
    """The flags that ask for a person, serious first; of one kind in the order in which they were found."""
    return sorted((f for f in flags if f.id in SERIOUS_FIRST), key=lambda f: SERIOUS_FIRST.index(f.id))


def how_serious(flags: Iterable[Flag]) -> int:
    """For sorting students: 0 for an attack; the larger, the less serious; who needs no look comes last."""
    found = to_look_at(flags)
    return SERIOUS_FIRST.index(found[0].id) if found else len(SERIOUS_FIRST)
