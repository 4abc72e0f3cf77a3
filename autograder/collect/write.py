"""The class folder. A run that ends in the middle is completed by the next one; nothing that came in is lost.

class/<student>/                the attempt that counts
class/.attempts/<student>/<n>/  the others
Each holds .attempt.json, which says what it is, so that a folder is known whatever else was written.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from autograder.class_folder import ATTEMPTS
from autograder.collect.attempts import Attempt, Kept
from autograder.collect.roster import RESERVED
from autograder.collect.source import MARK
from autograder.results import Data
from autograder.store import StoreError

LONGEST = 500  # bytes of a path in a submission; systems allow 4096 (or 260) for all of it
_NEVER = set('<>:"/\\|?*') | {chr(i) for i in range(32)}


class Mark(Data):
    """What lies in a folder of one attempt. stored: path in the submission -> path here."""

    number: int
    digest: str
    when: datetime | None = None
    time_from: str = ""
    late: bool = False
    stored: dict[str, str] = {}


class ClassFolder:
    """A folder that `collect` fills. Raises StoreError where it cannot be written."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def place(self, student: str, number: int, *, counts: bool) -> Path:
        """Where an attempt lies."""
        return self.root / student if counts else self.root / ATTEMPTS / student / str(number)

    def marks(self, student: str) -> dict[int, tuple[Path, Mark]]:
        """Number -> folder and mark of the attempts of a student that are there whole."""
        found: dict[int, tuple[Path, Mark]] = {}
        for folder in (self.root / student, *sorted((self.root / ATTEMPTS / student).glob("*"))):
            try:
                mark = Mark.model_validate_json((folder / MARK).read_bytes())
            except (OSError, ValidationError):
                continue
            found.setdefault(mark.number, (folder, mark))
        return found

    def kept(self, student: str) -> list[Kept]:
        """The attempts that are there."""
        marks = [mark for _, mark in self.marks(student).values()]
        return [Kept(m.number, m.digest, m.when, m.time_from, m.late) for m in marks]

    def write(
        self, student: str, attempts: list[Kept], new: Mapping[int, Attempt], counts: int
    ) -> dict[int, Mark]:
        """Writes what is new, and puts the attempt that counts into the student's folder. Gives all marks."""
        try:
            return self._write(student, attempts, new, counts)
        except OSError as e:
            raise StoreError(
                f"{e.filename or self.root}: cannot be written ({e.strerror}). Check permissions and free space; "
                "the same command goes on from here."
            ) from None

    def _write(
        self, student: str, attempts: list[Kept], new: Mapping[int, Attempt], counts: int
    ) -> dict[int, Mark]:
        there = self.marks(student)
        marks: dict[int, Mark] = {}
        for one in attempts:
            place = self.place(student, one.number, counts=False)
            stored = there[one.number][1].stored if one.number in there else {}
            mark = Mark(**{**vars(one), "stored": stored})
            if one.number in new:
                mark = self._store(place, new[one.number], mark)
            elif there[one.number][1] != mark:
                _put(there[one.number][0] / MARK, mark.model_dump_json().encode())
            marks[one.number] = mark
        self._let_count(student, counts)
        return marks

    def _store(self, place: Path, attempt: Attempt, mark: Mark) -> Mark:
        """A new attempt, whole or not at all."""
        part = place.with_name(f".{place.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        names = safe_names(list(attempt.files))
        for path, data in attempt.files.items():
            target = part.joinpath(*names[path])
            target.parent.mkdir(parents=True, exist_ok=True)
            _put(target, data)
        mark = mark.model_copy(update={"stored": {"/".join(k): "/".join(v) for k, v in names.items()}})
        _put(part / MARK, mark.model_dump_json().encode())
        shutil.rmtree(place, ignore_errors=True)
        os.replace(part, place)
        return mark

    def _let_count(self, student: str, number: int) -> None:
        """Puts the attempt of that number into the student's folder, and what lies there beside the others."""
        there = self.marks(student)
        folder, _ = there[number]
        home = self.root / student
        if folder == home:
            return
        if home.exists():
            before = next((n for n, (place, _) in there.items() if place == home), None)
            beside = self.place(student, before, counts=False) if before else _free(home)
            shutil.rmtree(beside, ignore_errors=True)
            beside.parent.mkdir(parents=True, exist_ok=True)
            os.replace(home, beside)
        os.replace(folder, home)

    def rename(self, old: str, new: str) -> None:
        """Gives the folders of a student another name, unless there are such. Raises StoreError."""
        for above in (self.root / ATTEMPTS, self.root):
            if (above / old).is_dir() and not (above / new).exists():
                try:
                    os.rename(above / old, above / new)
                except OSError as e:
                    raise StoreError(f"{above / old}: cannot be renamed to {new} ({e.strerror}).") from None

    def forget(self, student: str) -> None:
        """Removes the folders of somebody whose work is another's, as the roster now says; it is stored there."""
        shutil.rmtree(self.root / student, ignore_errors=True)
        shutil.rmtree(self.root / ATTEMPTS / student, ignore_errors=True)


def _put(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)


def _free(home: Path) -> Path:
    """A folder of that name which this kit has not made: it is kept beside the class."""
    return next(p for n in range(1, 10_000) if not (p := home.with_name(f".{home.name}.before-{n}")).exists())


def safe_names(paths: list[tuple[str, ...]]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Paths as every system can store them: no two that differ in case only, no file where a folder must be, and
    none that is too long as a whole."""
    taken: set[str] = {MARK}
    folders: set[str] = set()
    found = {}
    # Of "WORK.py" and "work.py" the latter keeps its name: it is the one that is expected.
    for path in sorted(paths, key=lambda p: (-len(p), p != tuple(part.casefold() for part in p), p)):
        parts = tuple(safe_part(part) for part in path)
        if len("/".join(parts).encode()) > LONGEST:
            digest = hashlib.sha256("/".join(path).encode("utf-8", "surrogateescape")).hexdigest()
            parts = (f"~{digest[:12]}", parts[-1])
        stem, dot, ending = parts[-1].rpartition(".")
        for n in range(1, len(paths) + 2):
            last = parts[-1] if n == 1 else f"{stem}~{n}.{ending}" if dot and stem else f"{parts[-1]}~{n}"
            key = "/".join((*parts[:-1], last)).casefold()
            if key not in taken and key not in folders:
                break
        taken.add(key)
        steps = key.split("/")
        folders |= {"/".join(steps[:i]) for i in range(1, len(steps))}
        found[path] = (*parts[:-1], last)
    return found


def safe_part(part: str) -> str:
    """One part of a path: NFC, without what some system forbids, and not too long (its ending stays)."""
    text = part.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    text = "".join("_" if c in _NEVER else c for c in unicodedata.normalize("NFC", text)).rstrip(". ") or "_"
    if text.casefold().partition(".")[0].strip() in RESERVED:
        text = f"_{text}"
    stem, dot, ending = text.rpartition(".")
    if not dot or len(ending) > 12:
        stem, ending, dot = text, "", ""
    while len(f"{stem}{dot}{ending}".encode()) > 150:
        stem = stem[:-1]
    return f"{stem}{dot}{ending}"
