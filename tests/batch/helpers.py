"""A class in a folder, graded by the fake judge."""

from __future__ import annotations

import contextlib
import csv
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from autograder.assignment import load_assignment
from autograder.batch.child import START, Start
from autograder.batch.judges import Judges
from autograder.batch.rows import Row
from autograder.batch.run import Class, Options, grade_class
from autograder.results import SubmissionResult

FAKE = "tests.batch.fake_judge"
# Judge processes that are programs of their own, and again forks of one that has imported them.
ON_LINUX = pytest.mark.skipif(START != "forkserver", reason="judge processes fork on Linux only")
BOTH_WAYS = pytest.mark.parametrize(
    "room", ["spawn", pytest.param("forkserver", marks=ON_LINUX)], indirect=True
)


@dataclass
class Heard:
    """A listener that remembers."""

    begun: tuple[int, int] = (-1, -1)
    rows: list[Row] = field(default_factory=list)

    def reads(self, n: int) -> None:
        pass

    def begins(self, todo: int, kept: int, others: Sequence[str]) -> None:
        self.begun = (todo, kept)

    def waits(self) -> None:
        pass

    def written(self, result: SubmissionResult, folder: Path, replaced: SubmissionResult | None) -> None:
        pass

    def done(self, row: Row) -> None:
        self.rows.append(row)


@dataclass
class Room:
    """One class and its results."""

    folder: Path
    start: Start = "spawn"

    @property
    def submissions(self) -> Path:
        return self.folder / "class"

    @property
    def out(self) -> Path:
        return self.folder / "out"

    def hand_in(self, student: str, words: str) -> None:
        path = self.submissions / student / "heads.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(words)

    def options(self, **changes: Any) -> Options:
        here = Options(submissions=self.submissions, out=self.out, assignment=load_assignment(), jobs=2)
        return replace(here, **changes)

    def grade(self, **changes: Any) -> tuple[Class, Heard]:
        heard = Heard()
        return grade_class(self.options(**changes), heard, Judges(FAKE, self.start)), heard

    def grade_with(self, bad: str) -> tuple[Class, Heard]:
        """With one of bad_judges/ instead of the fake judge."""
        heard = Heard()
        return grade_class(self.options(), heard, Judges(f"tests.batch.bad_judges.{bad}", self.start)), heard

    def journal(self) -> list[dict[str, object]]:
        text = (self.out / "journal.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def result(self, student: str) -> dict[str, object]:
        found: dict[str, object] = json.loads(
            (self.out / student / "result.json").read_text(encoding="utf-8")
        )
        return found


def scores(graded: Class) -> dict[str, float | None]:
    return {row.student: row.result.score if row.graded and row.result else None for row in graded.rows}


def problems(graded: Class) -> dict[str, list[str]]:
    return {row.student: [p.id for p in row.problems] for row in graded.rows if row.problems}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def until(condition: Callable[[], object], what: str) -> None:
    """Waits for it a minute; what: for the message when it does not come."""
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail(f"never happened: {what}")


def parent(pid: int) -> int:
    """Raises OSError for one that has ended."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def children(pid: int, word: bytes = b"") -> set[int]:
    """Those with the word in their command, without what multiprocessing keeps for itself."""
    found = set()
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and parent(int(entry.name)) == pid:
                command = (entry / "cmdline").read_bytes()
                if word in command and b"resource_tracker" not in command:
                    found.add(int(entry.name))
    return found


def judge_of(batch: int, start: Start = START) -> int:
    """The one judge process of a batch: below it, and on Linux below the process that it is forked from."""
    if start == "forkserver":
        (batch,) = children(batch, b"forkserver")
    (judge,) = children(batch)
    return judge
