"""Two results of a student compared: who gains or loses how much, by which test, and what graded differently."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from autograder.results import Kit, SubmissionResult, TestResult

# What a result depends on, as run by run it may differ: hashes of Kit, and what else Kit says.
CAUSES = ("submission", "seed", "course", "hidden", "model", "packages", "version")
DUST = Decimal("0.000001")


@dataclass(frozen=True)
class TestChange:
    """One hidden test whose points differ. before, now: points, 0 where there was no such test. test: as it
    is now, or was; mistakes: of the one of the two that earns less."""

    __test__ = False  # not a pytest class

    test: TestResult
    before: Decimal
    now: Decimal
    mistakes: tuple[str, ...] = ()

    @property
    def gain(self) -> Decimal:
        """Points more than before."""
        return self.now - self.before


@dataclass(frozen=True)
class Change:
    """One student whose points differ. before, now: None is no grade. causes: which of CAUSES differ."""

    student: str
    before: Decimal | None
    now: Decimal | None
    tests: tuple[TestChange, ...] = ()
    causes: tuple[str, ...] = ()

    @property
    def gain(self) -> Decimal:
        """Points more than before; no grade counts as 0 here."""
        return (self.now or Decimal(0)) - (self.before or Decimal(0))


def changes(old: Mapping[str, SubmissionResult], new: Mapping[str, SubmissionResult]) -> list[Change]:
    """Those whose grade differs, also by having none now or before; who loses most comes first."""
    names = dict.fromkeys([*old, *new])
    found = [change(name, old.get(name), new.get(name)) for name in names]
    return ordered(one for one in found if one is not None)


def ordered(found: Iterable[Change]) -> list[Change]:
    """Who loses most comes first."""
    return sorted(found, key=lambda one: (one.gain, one.student))


def change(student: str, old: SubmissionResult | None, new: SubmissionResult | None) -> Change | None:
    """What differs between two results of one student; None where points and tests' points are the same."""
    before, now = (None if r is None or not r.graded else _decimal(r.score) for r in (old, new))
    tests = tuple(_tests(old, new)) if before is not None and now is not None else ()
    if before == now and not tests:
        return None
    causes = differing(old.kit, new.kit) if old is not None and new is not None else ()
    return Change(student, before, now, tests, causes)


def differing(old: Kit, new: Kit) -> tuple[str, ...]:
    """Which of CAUSES differ between the two that graded."""
    found = {name for name in old.hashes.keys() | new.hashes.keys() if _other(name, old, new)}
    found |= {"packages"} if old.packages != new.packages else set()
    found |= {"version"} if old.version != new.version else set()
    return tuple(name for name in CAUSES if name in found)


def by_test(found: Iterable[Change]) -> list[tuple[TestResult, Sequence[TestChange]]]:
    """The tests whose points differ, with each student's change; the one that moves most points first."""
    groups: dict[str, list[TestChange]] = {}
    for one in found:
        for part in one.tests:
            groups.setdefault(part.test.id, []).append(part)
    moved = sorted(groups.values(), key=lambda parts: -sum(abs(p.gain) for p in parts))
    return [(parts[0].test, parts) for parts in moved]


def _other(name: str, old: Kit, new: Kit) -> bool:
    return old.hashes.get(name) != new.hashes.get(name)


def _tests(old: SubmissionResult | None, new: SubmissionResult | None) -> Iterable[TestChange]:
    was = {t.id: t for t in old.tests} if old else {}
    is_ = {t.id: t for t in new.tests} if new else {}
    for id in dict.fromkeys([*is_, *was]):
        before, now = was.get(id), is_.get(id)
        had, has = (Decimal(0) if t is None else _decimal(t.points) for t in (before, now))
        less = now if has < had else before
        if had != has and (test := now or before):
            yield TestChange(test, had, has, tuple(less.mistakes) if less else ())


def _decimal(points: float) -> Decimal:
    return Decimal(repr(points)).quantize(DUST)
