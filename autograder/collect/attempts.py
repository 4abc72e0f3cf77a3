"""Which attempt of a student counts, and what tells attempts apart."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from autograder.course import Attempts, Deadline
from autograder.gradebook.policy import due
from autograder.gradebook.students import UNSURE, Student, when

Path = tuple[str, ...]
BY_HAND = "by hand"  # in time_from: a person has written it into students.csv


@dataclass(frozen=True)
class Attempt:
    """What one student handed in at one time. files: path in the submission -> bytes; order: its place among
    those of a download."""

    files: Mapping[Path, bytes] = field(repr=False)
    when: datetime | None = None
    time_from: str = ""
    late: bool = False
    order: int = 0

    @property
    def digest(self) -> str:
        """The same files, the same digest, whichever download they came in."""
        whole = hashlib.sha256()
        for path, data in sorted(self.files.items()):
            name = "/".join(path).encode("utf-8", "surrogateescape")
            whole.update(b"%d %d " % (len(name), len(data)) + name + data)
        return whole.hexdigest()[:32]


@dataclass(frozen=True)
class Kept:
    """An attempt that lies in the class already. number: from 1."""

    number: int
    digest: str
    when: datetime | None = None
    time_from: str = ""
    late: bool = False


def numbered(old: Sequence[Kept], new: Sequence[Attempt]) -> tuple[list[Kept], dict[int, Attempt]]:
    """(all attempts in the order in which they came, number -> those that are new).

    An attempt that is there already keeps its number. What the platform says of its time now counts, unless a
    person has said it, or it is less sure than what is known.
    """
    by_digest = {one.digest: one for one in old}
    number = max((one.number for one in old), default=0)
    added: dict[int, Attempt] = {}
    for attempt in sorted(new, key=lambda a: (a.when is not None, _moment(a.when), a.order)):
        digest = attempt.digest
        if digest in by_digest:
            number_of = by_digest[digest].number
        else:
            number += 1
            number_of = number
            added[number] = attempt
        known = by_digest.get(digest)
        at, time_from = attempt.when, attempt.time_from
        surer = known and known.when and known.time_from not in UNSURE and time_from in UNSURE
        if known and (at is None or surer or known.time_from == BY_HAND):
            at, time_from = known.when, known.time_from
        late = attempt.late or bool(known and known.late)
        by_digest[digest] = Kept(number_of, digest, at, time_from, late)
    return sorted(by_digest.values(), key=lambda one: one.number), added


def with_time(kept: Sequence[Kept], by_hand: Student | None) -> list[Kept]:
    """The attempts, one of them with the time that a person has written into its row of students.csv."""
    if by_hand is None:
        return list(kept)
    number = by_hand.attempt.partition(" ")[0]
    return [
        replace(one, when=when(by_hand.submitted_at), time_from=BY_HAND) if str(one.number) == number else one
        for one in kept
    ]


def counting(attempts: Sequence[Kept], student: Student, rules: Attempts, deadline: Deadline | None) -> Kept:
    """The attempt that counts: the last, or the last in time (the last where none was). For "best", which is
    known only when all are graded, the last."""
    ordered = sorted(attempts, key=lambda one: (one.when is not None, _moment(one.when), one.number))
    if rules.count == "last_in_time" and deadline is not None:
        until = due(deadline, student) + deadline.grace
        in_time = [one for one in ordered if one.when is not None and one.when <= until]
        if in_time:
            return in_time[-1]
    return ordered[-1]


def moved_times(before: Sequence[Student], now: Sequence[Student]) -> Iterator[tuple[str, str, str]]:
    """(student, before, now): the same attempt, and the same source says another time: as a rule another zone."""
    known = {one.student: one for one in before}
    for one in now:
        old = known.get(one.student)
        if (
            old is not None
            and old.when != one.when is not None
            and old.when is not None
            and old.time_from == one.time_from != BY_HAND
            and old.attempt.partition(" ")[0] == one.attempt.partition(" ")[0]
        ):
            yield one.student, old.submitted_at, one.submitted_at


def _moment(when: datetime | None) -> float:
    return when.timestamp() if when is not None else 0.0
