"""An Incoming -> a Submission: bytes of the exercise files, and reasons for all that is not as expected."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from autograder.course import Limits
from autograder.extract.reading import Chosen, choose
from autograder.intake.archive import OTHER_KINDS, in_zip
from autograder.intake.entries import Entry, in_folder
from autograder.intake.inbox import Incoming
from autograder.intake.names import EXPECTED, NOTEBOOK, printable
from autograder.intake.reading import Unreadable, read_regular
from autograder.intake.submission import Submission
from autograder.intake.texts import KB, MB, Found, flags_of, texts_of
from autograder.results import Flag, Problem

_SHOWN = 6  # names of a long list that a person gets to see


def read(one: Incoming, limits: Limits, *, notebook_first: bool = False) -> Submission:
    """Reads one submission. Whatever a student did, it does not raise: what cannot be read is a problem.

    notebook_first: whether exercises are expected in the notebook rather than in files.
    """
    shown = printable(str(one.path))
    if one.kind == "refused":
        return Submission(one.student, {}, (one.problem,) if one.problem else (), source=shown)
    got = _gathered(one, limits)
    problems = list(got.problems)
    seen = [e for e in got.entries if not getattr(e, "hidden", False)]
    found, chosen = _chosen(one, seen, limits, notebook_first)
    if not chosen.written and len(seen) < len(got.entries):
        # Drafts do not compete with work, but are better than none.
        found, chosen = _chosen(one, got.entries, limits, notebook_first)
    problems += [*found.problems, *chosen.problems]
    if not chosen.files and not problems:
        problems.append(_nothing(got.entries))
    flags = [*flags_of(found, chosen.used), *chosen.flags]
    left_out = [*got.left_out, *found.left_out]
    if left_out:
        flags.append(Flag(id="left_out", params={"files": _names(left_out)}))
    return Submission(
        one.student,
        chosen.files,
        tuple(problems),
        tuple(flags),
        source=shown,
        cells=chosen.cells,
        sources=chosen.sources,
    )


def _chosen(
    one: Incoming, entries: list[Entry], limits: Limits, notebook_first: bool
) -> tuple[Found, Chosen]:
    found = texts_of(entries, limits)
    texts = found.texts
    if one.kind == "notebook":  # whatever it is called: it is all there is
        texts = [replace(t, path=(NOTEBOOK,), meant=NOTEBOOK) if t.notebook else t for t in texts]
    return found, choose(texts, limits, notebook_first=notebook_first) if texts else Chosen({})


@dataclass
class _Gathered:
    entries: list[Entry] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def _gathered(one: Incoming, limits: Limits) -> _Gathered:
    name = printable(one.path.name)
    most = limits.submission_kb * KB + limits.notebook_mb * MB
    got = _Gathered()
    try:
        if one.kind == "notebook":
            got.entries = [Entry((one.path.name,), lambda limit: read_regular(one.path, limit, name))]
        elif one.kind == "zip":
            got.entries = in_zip(read_regular(one.path, most, name), name)
        else:
            got.entries = in_folder(one.path)
            for entry in list(got.entries):
                if entry.name.casefold().endswith(".zip"):
                    inside = in_zip(entry.read(most), entry.shown)
                    got.entries += [replace(e, path=(*entry.path, *e.path)) for e in inside]
                elif entry.name.casefold().endswith(OTHER_KINDS):
                    ending = next(e for e in OTHER_KINDS if entry.name.casefold().endswith(e))
                    raise Unreadable("zip.other_kind", file=entry.shown, ending=ending)
    except Unreadable as e:
        got.problems.append(e.problem)
    return got


def _nothing(entries: list[Entry]) -> Problem:
    if not entries:
        return Problem(id="folder.empty", params={})
    params = {"found": _names([e.shown for e in entries]), "expected": ", ".join(EXPECTED)}
    return Problem.model_validate({"id": "folder.unknown", "params": params})


def _names(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
