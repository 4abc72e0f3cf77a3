"""An Incoming -> a Submission: bytes of the exercise files, and reasons for all that is not as expected."""

from __future__ import annotations

from dataclasses import replace

from autograder.assignment import Assignment
from autograder.extract.reading import Chosen, choose
from autograder.extract.telling import listed
from autograder.intake.entries import Entry
from autograder.intake.gather import gathered, why_nothing
from autograder.intake.inbox import Incoming
from autograder.intake.names import printable
from autograder.intake.submission import Submission
from autograder.intake.texts import Found, flags_of, texts_of
from autograder.results import Flag


def read(one: Incoming, assignment: Assignment) -> Submission:
    """Reads one submission. Whatever a student did, it does not raise: what cannot be read is a problem."""
    shown = printable(str(one.path))
    if one.kind == "refused":
        return Submission(one.student, {}, (one.problem,) if one.problem else (), source=shown)
    got = gathered(one, assignment)
    seen = got.shown
    found, chosen = _chosen(one, seen, assignment)
    seconds = chosen.seconds
    if not chosen.written and len(seen) < len(got.entries):
        # Drafts do not compete with work, but are better than none.
        found, chosen = _chosen(one, got.entries, assignment)
        seconds += chosen.seconds
    problems = [*found.problems, *chosen.problems]
    if not chosen.files and not problems:
        problems = why_nothing(got, assignment)
    elif len(chosen.sources) < len(assignment.symbols):  # what was not looked at may hold what is missing
        problems = [*got.problems, *problems]
    flags = [*flags_of(found, chosen.used), *chosen.flags, *got.flags]
    left_out = [*got.left_out, *found.left_out]
    if left_out:
        flags.append(Flag(id="left_out", params={"files": listed(left_out)}))
    return Submission(
        one.student,
        chosen.files,
        tuple(problems),
        tuple(flags),
        source=shown,
        cells=chosen.cells,
        sources=chosen.sources,
        seconds=seconds,
    )


def _chosen(one: Incoming, entries: list[Entry], assignment: Assignment) -> tuple[Found, Chosen]:
    found = texts_of(entries, assignment)
    texts = found.texts
    if one.kind == "notebook":  # whatever it is called: it is all there is
        name = assignment.notebook
        texts = [replace(t, path=(name,), meant=name) if t.notebook else t for t in texts]
    return found, choose(texts, assignment, notebook_first=one.notebook_first) if texts else Chosen({})
