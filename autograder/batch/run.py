"""A class, from its folder to its results: grades what is new, keeps what is still right, may be stopped."""

from __future__ import annotations

import contextlib
import difflib
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from autograder import bounded
from autograder.assignment import Assignment
from autograder.batch.cluster import cluster
from autograder.batch.job import Answer, Job, Setting
from autograder.batch.journal import Journal
from autograder.batch.judges import Judges
from autograder.batch.pool import Submit, cores, local
from autograder.batch.rows import Row, can_be_judged, is_current, not_judged, not_read, row_of
from autograder.identity import kit_of
from autograder.intake import Incoming, IntakeError, Submission, incoming, kept_attempts
from autograder.intake.read import read
from autograder.results import Isolation, SubmissionResult
from autograder.store import Store, StoreError, faults

_HOPELESS = 3  # so many faults of ours, and no grade at all: it is not the submissions


class NotIsolated(Exception):
    """This machine cannot isolate student code; the text says what is missing."""


class Listener(Protocol):
    """Whoever shows a person how far it is."""

    def reads(self, n: int) -> None:
        """`n` submissions are about to be read."""

    def begins(self, todo: int, kept: int, others: Sequence[str]) -> None:
        """`todo` submissions are to be graded, `kept` are unchanged, `others` are files that are none."""

    def waits(self) -> None:
        """Nothing new since the last call (twice a second)."""

    def written(self, result: SubmissionResult, folder: Path, replaced: SubmissionResult | None) -> None:
        """A result is new, and lies in that folder; `replaced` lay there before."""

    def done(self, row: Row) -> None:
        """One submission has been graded."""


@dataclass(frozen=True)
class Options:
    """What to grade, how, and where results go."""

    submissions: Path
    out: Path
    assignment: Assignment
    jobs: int | None = None  # judge processes at the same time; None: one a core
    only: tuple[str, ...] = ()
    force: bool = False
    isolated: bool = True
    timing: bool = True
    scheduler: str | None = None
    found: tuple[Incoming, ...] | None = None  # who handed in what, where `submissions` does not say it

    @property
    def setting(self) -> Setting:
        """What the judge processes need to know of it."""
        return Setting(
            assignment=self.assignment,
            isolation="auto" if self.isolated else "unsafe",
            timing=self.timing,
            hidden=kit_of({}, self.assignment).hashes["hidden"],
        )


@dataclass
class Class:
    """All submissions of a class, and how the run ended."""

    rows: list[Row]
    interrupted: bool = False
    broken: str = ""  # why grading was given up before the end
    others: list[str] = field(default_factory=list)
    submissions: dict[str, Submission] = field(default_factory=dict)  # as they were read, by student
    left_out: dict[str, str] = field(default_factory=dict)  # workers of a cluster that did nothing, and why

    def asked_for(self, options: Options) -> list[Row]:
        """The rows that this run was about."""
        return [row for row in self.rows if not options.only or row.student in options.only]


def grade_class(options: Options, listener: Listener, judges: Judges | None = None) -> Class:
    """Grades a class and lets go of the folder of results. See `grading`."""
    with grading(options, listener, judges) as graded:
        return graded


@contextlib.contextmanager
def grading(options: Options, listener: Listener, judges: Judges | None = None) -> Iterator[Class]:
    """Grades a class, with judge processes of its own unless `judges` are given. Until the block ends nobody
    else writes into the folder of results: what is made of it is of this class.

    Raises IntakeError, StoreError, PoolError, NotIsolated.
    """
    results = _results(options.out)
    if options.found is None:
        found, others = incoming(
            options.submissions, options.assignment, leave_out=results, only=options.only
        )
        if options.assignment.attempts.count == "best":
            found += kept_attempts(options.submissions)
    else:
        found, others = list(options.found), []
    if _inside(options.out, [one.path for one in found]):
        raise IntakeError(f"{options.out}: lies inside a student's folder. Give another --out.")
    students = [one.student for one in found]
    store = Store(options.out, students)
    with store.locked(), Journal(options.out / "journal.jsonl") as journal:
        with contextlib.closing(judges or Judges()) as ours:
            if not options.scheduler and not all(map(store.has, options.only or students)):
                ours.expect_some()  # while the class is being read
            graded = _Run(options, store, journal, listener, ours).all_of(found, others)
        yield graded


class _Run:
    def __init__(
        self, options: Options, store: Store, journal: Journal, listener: Listener, judges: Judges
    ) -> None:
        self.options, self.store, self.journal, self.listener = options, store, journal, listener
        self.judges = judges
        self.setting = options.setting
        self.rows: dict[str, Row] = {}
        self.level: Isolation = "none"  # until a judge process has said better
        self.left_out: dict[str, str] = {}  # workers of a cluster

    def all_of(self, found: list[Incoming], others: list[str]) -> Class:
        """Everything in order: what is to be done, doing it, and the rows of all."""
        wanted = _chosen([one.student for one in found], self.options.only)
        self.listener.reads(len(found))
        todo: list[Submission] = []
        read_ones: dict[str, Submission] = {}
        expected = 0
        for one, submission in zip(found, self._read(found), strict=True):
            read_ones[one.student] = submission
            old = self.store.read(one.student)
            current = old is not None and is_current(old, submission, self.setting)
            if one.student in wanted and (self.options.force or not current):
                todo.append(submission)
                expected += can_be_judged(submission)
                if expected <= self._jobs and not self.options.scheduler:
                    self.judges.expect(self.setting, expected)  # ready while the others are still being read
            elif current and old is not None:
                self.rows[one.student] = Row(one.student, old, tuple(old.problems))
            else:
                self.rows[one.student] = row_of(one.student, old, None)
        kept = len(wanted) - len(todo)
        self.listener.begins(len(todo), kept, others)
        self.journal.note("run", todo=len(todo), kept=kept)
        result = Class([], others=others, submissions=read_ones)
        try:
            self._grade([s for s in todo if can_be_judged(s)])
        except KeyboardInterrupt:
            result.interrupted = True
        except _GivenUp as e:
            result.broken = str(e)
        for submission in todo:
            if not can_be_judged(submission):
                self._keep(submission, not_read(submission, self.setting, self.level))
            elif submission.student not in self.rows:
                self.rows[submission.student] = self._as_before(submission)
        result.left_out = self.left_out
        self.journal.note("interrupted" if result.interrupted else "end")
        result.rows = [self.rows[one.student] for one in found]
        return result

    def _as_before(self, submission: Submission) -> Row:
        """Of whoever's turn had not come: what is known from before, which --force may only have doubted."""
        old = self.store.read(submission.student)
        if old is not None and is_current(old, submission, self.setting):
            return Row(submission.student, old, tuple(old.problems))
        return row_of(submission.student, old, None)

    def _read(self, found: Sequence[Incoming]) -> Iterator[Submission]:
        """All of them in order, several at a time (notebooks are read in processes of their own)."""
        with ThreadPoolExecutor(cores()) as readers:
            yield from readers.map(lambda one: read(one, self.options.assignment), found)

    @property
    def _jobs(self) -> int:
        return self.options.jobs or cores()

    def _grade(self, todo: Sequence[Submission]) -> None:
        if not todo:
            return
        if self.options.scheduler is None:
            with local(min(self._jobs, len(todo)), self.judges) as submit:
                self._collect(todo, submit)
            return
        with cluster(self.options.scheduler) as workers:
            try:
                self._collect(todo, workers.submit)
            finally:
                self.left_out = dict(workers.left_out)
                for address, why in self.left_out.items():
                    self.journal.note("worker left out", worker=address, why=why)

    def _collect(self, todo: Sequence[Submission], submit: Submit) -> None:
        running = {submit(Job.of(one, self.setting)): one for one in todo}
        began = time.monotonic()
        graded = failed = 0
        while running:
            finished, _ = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            if not finished:
                self.listener.waits()
            for future in finished:
                submission = running.pop(future)
                result = self._result(submission, future)
                failed += not result.graded
                graded += result.graded
                self._keep(submission, result, round(time.monotonic() - began, 2))
                if failed >= _HOPELESS and not graded:
                    raise _GivenUp(result.problems[-1].params.get("why", ""))

    def _result(self, submission: Submission, future: Future[Answer]) -> SubmissionResult:
        answer = future.result()
        if answer.refused is not None:
            raise NotIsolated(answer.refused)
        if answer.result is None:
            return not_judged(submission, self.setting, answer.fault or "no answer", self.level)
        self.level = answer.result.isolation
        return answer.result

    def _keep(self, submission: Submission, new: SubmissionResult, at: float | None = None) -> None:
        """Writes a result, unless an earlier one is worth more, and says so."""
        new = bounded.result(new)
        old = self.store.read(submission.student)
        row = row_of(submission.student, old, new)
        if row.result is new:
            self.listener.written(new, self.store.write(new).parent, old)
        self.rows[row.student] = row
        event = "graded" if new.graded and not faults(new) else "not graded"
        why = "; ".join(p.id for p in row.problems)
        self.journal.note(event, student=row.student, score=new.score, seconds=at, problems=why)
        self.listener.done(row)


class _GivenUp(Exception):
    """Nothing can be graded; the text says why."""


def _chosen(students: Sequence[str], only: Sequence[str]) -> set[str]:
    """The students named by --only, or all. Raises IntakeError."""
    chosen = set()
    for name in only:
        if name not in students:
            near = difflib.get_close_matches(name, students, n=3, cutoff=0.4)
            advice = f"Did you mean {', '.join(near)}?" if near else f"There are {len(students)} here."
            raise IntakeError(f"--only {name!r}: nobody of that name handed anything in. {advice}")
        chosen.add(name)
    return chosen or set(students)


def _results(out: Path) -> Path:
    """OUT, when it is new, empty, or holds results: never a folder of other things. Raises StoreError."""
    with contextlib.suppress(FileNotFoundError):
        try:
            names = os.listdir(out)
        except NotADirectoryError:
            raise StoreError(f"{out}: is a file. Give a folder as --out.") from None
        if "journal.jsonl" not in names and any(not name.startswith(".") for name in names):
            raise StoreError(
                f"{out}: holds other things than results. Give an empty or a new folder as --out."
            )
    return out


def _inside(out: Path, folders: Sequence[Path]) -> bool:
    place = out.resolve()
    with contextlib.suppress(OSError):
        real = [folder.resolve() for folder in folders if not folder.is_symlink()]
        return any(folder in (place, *place.parents) for folder in real)
    return False
