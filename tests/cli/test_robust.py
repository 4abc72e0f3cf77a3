"""Whatever happens in the middle of `grade`: no row is lost, and nothing is graded twice but what was in hand."""

from __future__ import annotations

import csv
import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from autograder.assignment import KIT as ROOT
from autograder.gradebook.record import RunRecord
from autograder.store import read_result
from tests.batch.helpers import until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="kills and limits as Linux knows them"),
]
STUDENTS = [f"s{i:02}" for i in range(16)]
ABSENT = "zoe"  # in students.csv only


class Room:
    """A class that takes some seconds, and notes whenever one of it is begun."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.out = folder, folder / "out"
        self.notes = folder / "notes"
        self.notes.mkdir()
        for name in STUDENTS:
            path = folder / "class" / name / "heads.py"
            path.parent.mkdir(parents=True)
            path.write_text(f"note {self.notes / name} sleep 0.15 score {int(name[1:]) + 50}")
        table = "student,submitted_at\n" + "".join(f"{name},\n" for name in [*STUDENTS, ABSENT])
        (folder / "class" / "students.csv").write_text(table)

    def start(self, *words: object, **env: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.cli.drive", *map(str, words)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | env,
        )

    def grade(self, **env: str) -> subprocess.Popen[str]:
        return self.start("grade", self.folder / "class", "--out", self.out, "--jobs", "2", **env)

    def done(self) -> set[str]:
        """Who has a result; each of them can be read whole."""
        return {read_result(path).student for path in self.out.glob("*/result.json")}

    def begun(self) -> Counter[str]:
        """How often each of them was begun."""
        return Counter({p.name: p.read_text().count("begun") for p in self.notes.iterdir()})

    def rows(self) -> dict[str, str]:
        """grades.csv: student -> final."""
        with (self.out / "grades.csv").open(encoding="utf-8", newline="") as file:
            return {row["student"]: row["final"] for row in csv.DictReader(file)}

    def check_whole(self) -> None:
        """Every file that is there can be read, and a table that is there has everybody."""
        if (self.out / "grades.csv").exists():
            assert set(self.rows()) == {*STUDENTS, ABSENT}
        if (self.out / "run.json").exists():
            RunRecord.model_validate_json((self.out / "run.json").read_bytes())
        if (self.out / "journal.jsonl").exists():
            for line in (self.out / "journal.jsonl").read_text(encoding="utf-8").splitlines():
                json.loads(line)

    def check_finished(self) -> None:
        """Everybody is there, with their own grade and their own page."""
        assert self.rows() == {**{name: str(int(name[1:]) + 50) for name in STUDENTS}, ABSENT: ""}
        for name in STUDENTS:
            assert name in (self.out / name / "feedback.html").read_text(encoding="utf-8")
            assert name in (self.out / "class.html").read_text(encoding="utf-8")
        assert list(self.out.rglob(".*.part")) == []


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


@pytest.mark.parametrize("times", [3, pytest.param(10, marks=pytest.mark.endurance)])
def test_kill_9_at_random_moments(room: Room, times: int) -> None:
    moments = random.Random(12)
    killed = 0
    for _ in range(times):
        finished, begun = room.done(), room.begun()
        run = room.grade()
        try:
            run.communicate(timeout=moments.uniform(0.8, 3.2))
        except subprocess.TimeoutExpired:
            killed += 1
            run.kill()
            run.communicate()
        time.sleep(0.4)  # what was in hand ends with its judge
        room.check_whole()
        again = {name for name in finished if room.begun()[name] != begun[name]}
        assert again == set(), "graded twice, although there was a result"
    assert killed >= times // 3, "nothing was killed: the moments lie too late"
    finished, begun = room.done(), room.begun()
    run = room.grade()
    said, wrong = run.communicate(timeout=300)
    assert run.returncode == 0, said + wrong
    assert {name for name in finished if room.begun()[name] != begun[name]} == set()
    room.check_finished()
    assert sum(room.begun().values()) <= len(STUDENTS) + 2 * killed  # two at a time


@pytest.mark.parametrize(
    ("after", "number"),
    [
        pytest.param(0, errno.EROFS, marks=pytest.mark.endurance),
        (5, errno.ENOSPC),
        pytest.param(len(STUDENTS) * 3 + 1, errno.EDQUOT, marks=pytest.mark.endurance),
    ],
)
def test_a_disk_that_takes_no_more(room: Room, after: int, number: int) -> None:
    """In the middle of results, in the middle of pages, or at once."""
    run = room.grade(FAIL_AFTER=str(after), FAIL_WITH=str(number))
    said, wrong = run.communicate(timeout=300)
    assert run.returncode == 2, said + wrong
    assert "Traceback" not in said + wrong
    assert "cannot be written" in wrong
    assert os.strerror(number) in wrong
    room.check_whole()
    finished, begun = room.done(), room.begun()
    run = room.grade()
    run.communicate(timeout=300)
    assert run.returncode == 0
    assert {name for name in finished if room.begun()[name] != begun[name]} == set()
    room.check_finished()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a file into which nothing fits")
def test_a_journal_that_takes_no_more(room: Room) -> None:
    room.out.mkdir()
    (room.out / "journal.jsonl").symlink_to("/dev/full")
    run = room.grade()
    said, wrong = run.communicate(timeout=300)
    assert run.returncode == 2, said + wrong
    assert "journal.jsonl: cannot be written" in wrong
    assert "Traceback" not in said + wrong


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder in which nobody can write")
def test_results_cannot_go_there(room: Room) -> None:
    room.out = Path("/proc/results")
    run = room.grade()
    said, wrong = run.communicate(timeout=300)
    assert run.returncode == 2, said + wrong
    assert "/proc/results: cannot be written" in wrong
    assert "--out" in wrong
    assert room.begun() == Counter()


def test_two_runs_at_once(room: Room) -> None:
    """The second one of any kind is refused, and the first one does not notice."""
    last = room.folder / "class" / STUDENTS[-1] / "heads.py"
    last.write_text(last.read_text().replace("sleep 0.15", f"wait {room.folder / 'now'}"))
    first = room.grade()
    until(lambda: room.done(), "one is graded")
    commands = [["grade", room.folder / "class", "--out", room.out], ["grades", room.out, "--yes"],
                ["feedback", room.out]]  # fmt: skip
    for words in commands:
        second = room.start(*words)
        said, wrong = second.communicate(timeout=120)
        assert second.returncode == 2, (words, said, wrong)
        assert "another autograder is writing there" in wrong
    assert first.poll() is None
    (room.folder / "now").touch()
    first.communicate(timeout=300)
    assert first.returncode == 0
    room.check_finished()
    assert max(room.begun().values()) == 1


def test_a_run_that_is_killed_leaves_nothing_half_written_behind(room: Room) -> None:
    """Its temporary files go with the next run."""
    (room.out / "s00").mkdir(parents=True)
    (room.out / "journal.jsonl").touch()
    for folder in (room.out, room.out / "s00"):
        (folder / ".abc123.part").write_text("half")
    run = room.grade()
    run.communicate(timeout=300)
    assert run.returncode == 0
    room.check_finished()


def test_ctrl_c_says_how_to_go_on(room: Room) -> None:
    run = room.grade()
    until(lambda: len(room.done()) > 2, "some are graded")
    run.send_signal(signal.SIGTERM)
    said, wrong = run.communicate(timeout=120)
    assert run.returncode == 130, said + wrong
    assert "the same command goes on from here" in said
    assert set(room.rows()) == {*STUDENTS, ABSENT}
