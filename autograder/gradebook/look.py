"""What a person should look at, the serious first, for terminal, grades.csv and class page alike."""

from __future__ import annotations

import re
from collections.abc import Iterable

from autograder.results import Flag

# From an attempt to get at the grader down to what could not be looked through. All other flags are notes: the
# student is told, and nobody needs to do anything.
SERIOUS_FIRST = (
    "attack", "imports_solutions", "not_allowed", "shared_file", "needless", "not_measured", "left_out",
    "not_scanned",
)  # fmt: skip
OURS = {"solutions", "autograder"}  # modules that no student has


def kind(flag: Flag) -> str:
    """One of SERIOUS_FIRST, or the flag's own id: a name that no exercise needs is serious where it is ours."""
    id = flag.id.removeprefix("flag.")
    names = set(re.split(r"\W+", str(flag.params.get("name", ""))))
    return "imports_solutions" if id == "needless" and names & OURS else id


def to_look_at(flags: Iterable[Flag]) -> list[Flag]:
    """The flags that ask for a person, serious first; of one kind in the order in which they were found."""
    asked = [(SERIOUS_FIRST.index(kind(f)), f) for f in flags if kind(f) in SERIOUS_FIRST]
    return [f for _, f in sorted(asked, key=lambda pair: pair[0])]


def how_serious(flags: Iterable[Flag]) -> int:
    """For sorting students: 0 for an attack; the larger, the less serious; who needs no look comes last."""
    found = to_look_at(flags)
    return SERIOUS_FIRST.index(kind(found[0])) if found else len(SERIOUS_FIRST)
