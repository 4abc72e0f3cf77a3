"""A download goes collect -> grade -> grades -> export by the commands alone, and everybody is accounted for.

python -m tests.exporters.whole_way 500 [PLATFORM …]    a class of so many, what it takes, per platform
"""

from __future__ import annotations

import csv
import io
import random
import resource
import shutil
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from autograder.assignment import KIT as ROOT
from autograder.assignment import load_assignment
from autograder.cli import app
from tests.collect.downloads import NAMED, Person, packed
from tests.exporters.files import FILES, PLACES, key, read

KIT = load_assignment()
FIRST = KIT.exercises[0]


def right(files: Sequence[str] = tuple(KIT.files)) -> dict[str, bytes]:
    """Right work, as a student hands it in."""
    texts = ((ROOT / "solutions" / name).read_text() for name in files)
    return {
        n: t.replace("from solutions.", "from exercises.").encode() for n, t in zip(files, texts, strict=True)
    }


def stub() -> bytes:
    """The first exercise, not written."""
    return (ROOT / "exercises" / FIRST.file).read_bytes()


def work(i: int) -> Mapping[str, bytes]:
    """Right, partly right, wrong, no Python at all, and the same as somebody else's."""
    other = stub() + f"\n\ndef {FIRST.symbols[0]}(x, *_):\n    return x + {i}\n".encode()
    return [
        right([FIRST.file]),
        {FIRST.file: other},
        {FIRST.file: b"\xff\xfe\0("},
        {"notes.txt": b"no time"},
    ][i % 4]


def group(n: int, made: Callable[[int], Mapping[str, bytes]] = work) -> list[Person]:
    """n people of names that nobody shares; one in ten has handed nothing in."""
    found = []
    for i in range(n):
        letters = "".join(chr(ord("a") + int(d)) for d in f"{i:03}")
        one = Person(i, f"Zoë{letters} O'Souza{letters}", f"u{i:04d}")
        one.files = {} if i % 10 == 9 else dict(made(i))
        one.late = i % 7 == 3
        found.append(one)
    return found


@dataclass(frozen=True)
class Way:
    """One class on its way. place: all of it lies in there."""

    place: Path
    platform: str
    people: Sequence[Person]

    @property
    def out(self) -> Path:
        """The folder of results."""
        return self.place / "feedback"

    def collect(self) -> None:
        """The download and the roster, collected."""
        self.place.mkdir(parents=True, exist_ok=True)
        packed(self.place / "download.zip", NAMED[self.platform](list(self.people)))
        rows = [["student", "name", "email", "lms_id", "username", "student_number"]]
        rows += [[p.username, p.name, p.email, p.lms_id, p.username, f"00{p.number}"] for p in self.people]
        text = io.StringIO()
        csv.writer(text).writerows(rows)
        (self.place / "roster.csv").write_text(text.getvalue(), encoding="utf-8")
        run(
            "collect",
            self.place / "download.zip",
            "--out",
            self.place / "class",
            "--roster",
            self.place / "roster.csv",
        )

    def grade(self) -> None:
        """Graded, and the grades worked out again."""
        run("grade", self.place / "class", "--out", self.out, codes=(0, 1))
        run("grades", self.out, "--yes")

    def export(self, form: str, *more: object) -> bytes:
        """What was made: one file."""
        run("export", self.out, "--format", form, "--to", self.place / "made", *more)
        (made,) = (p for p in (self.place / "made").iterdir() if not p.name.endswith(".report.txt"))
        data = made.read_bytes()
        shutil.rmtree(self.place / "made")
        return data

    def finals(self) -> dict[str, str]:
        """What counts, by grades.csv; "" is no grade."""
        with (self.out / "grades.csv").open(encoding="utf-8", newline="") as file:
            return {row["student"]: row["final"] for row in csv.DictReader(file)}

    def fill(self) -> None:
        """The platform's own file has everybody's grade, and is otherwise as it was. Of a platform that has none
        a table."""
        finals = self.finals()
        assert set(finals) == {p.username for p in self.people}
        if self.platform not in FILES:
            rows = list(csv.DictReader(io.StringIO(self.export("csv").decode())))
            assert {row["student"]: row["final"] for row in rows} == finals
            return
        mixed = list(self.people)
        random.Random(1).shuffle(mixed)
        before = FILES[self.platform](mixed)
        (self.place / "own.csv").write_bytes(before)
        more = ("--column", "HW 1") if self.platform == "canvas" else ()
        after = self.export(self.platform, "--into", self.place / "own.csv", *more)
        who, where = PLACES[self.platform]
        old, new = read(before), read(after)
        wanted = {key(self.platform, p): finals[p.username] for p in self.people}
        assert {wanted.get(line[who]) or line[where] for line in old} == {line[where] for line in new}
        for one, other in zip(old, new, strict=True):
            assert other[where] == (wanted.get(one[who]) or one[where]), one
            assert other[:where] + other[where + 1 :] == one[:where] + one[where + 1 :]
        assert after[:3] == before[:3]

    def pages(self, form: str) -> dict[str, bytes]:
        """Name in the zip -> page, of `export --feedback`."""
        with zipfile.ZipFile(io.BytesIO(self.export(form, "--feedback"))) as archive:
            assert archive.comment == b""
            assert all(info.comment == b"" and info.extra == b"" for info in archive.infolist())
            return {info.filename: archive.read(info) for info in archive.infolist()}


def run(*words: object, codes: Sequence[int] = (0,)) -> str:
    """A command as people type it."""
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code in codes, (words, done.exit_code, done.output, done.exception)
    return done.output


def main(n: int, platforms: Sequence[str]) -> None:
    """The whole way for each platform, with times. The first grades; for the others the same work is kept."""
    print(f"{n} students; wall time in seconds")
    with tempfile.TemporaryDirectory() as place:
        for i, platform in enumerate(platforms):
            way = Way(Path(place) / str(i), platform, group(n))
            told = []
            for step in (way.collect, way.grade, way.fill):
                if step == way.grade and i:
                    shutil.copytree(Path(place) / "0" / "feedback", way.out)
                began = time.monotonic()
                step()
                told.append(f"{step.__name__} {time.monotonic() - began:.1f}")
            both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
            most = max(resource.getrusage(who).ru_maxrss for who in both) >> 10
            graded = sum(map(bool, way.finals().values()))
            print(f"{platform:<18}{', '.join(told)}; largest process {most} MB; {n} rows, {graded} with a grade",
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:] or [name for name in NAMED if name != "folders"])
