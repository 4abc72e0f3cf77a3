"""The rows of collected.csv as more comes in. counts: student -> number of the attempt that counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from autograder.class_folder import ATTEMPTS
from autograder.gradebook.collected import Entry


def placed(row: Entry, counts: Mapping[str, int]) -> Entry:
    """Where the file of a row lies now: in the student's folder, or beside it when another attempt counts."""
    if row.student not in counts or not row.attempt:
        return row
    it_counts = row.attempt == str(counts[row.student])
    inside = row.taken_as.removeprefix(f"{ATTEMPTS}/{row.student}/{row.attempt}/").removeprefix(
        f"{row.student}/"
    )
    place = row.student if it_counts else f"{ATTEMPTS}/{row.student}/{row.attempt}"
    outcome = row.outcome if row.outcome == "question" else "taken" if it_counts else "attempt"
    return replace(row, taken_as=f"{place}/{inside}", outcome=outcome)


def moved(row: Entry, old: str, new: str) -> Entry:
    """The row of a file whose folder has another name now."""
    path = row.taken_as
    for above in (f"{ATTEMPTS}/", ""):
        if path.startswith(f"{above}{old}/"):
            path = f"{above}{new}/{path.removeprefix(f'{above}{old}/')}"
            break
    return replace(row, student=new, taken_as=path)


def all_rows(before: Sequence[Entry], rows: Sequence[Entry], counts: Mapping[str, int]) -> list[Entry]:
    """What earlier downloads brought, and this one; a file that came again has its newer row."""
    told = {(r.download, r.entry, r.sha256) for r in rows}
    kept = [r for r in before if (r.download, r.entry, r.sha256) not in told]
    return [placed(r, counts) for r in kept] + list(rows)
