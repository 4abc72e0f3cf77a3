"""Downloads -> a class folder, all of it in order: read, recognise, match, choose attempts, write."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from autograder.assignment import Assignment
from autograder.class_folder import COLLECTED, STUDENTS
from autograder.collect.attempts import Attempt, counting, moved_times, numbered, with_time
from autograder.collect.detect import Recognised, recognise
from autograder.collect.people import People
from autograder.collect.platforms.platform import Parsed
from autograder.collect.roster import merged, read_roster, renamed, unread_times, written_by_hand
from autograder.collect.rows import all_rows, moved, placed
from autograder.collect.source import WRITTEN, CannotRead, DownloadError, open_download
from autograder.collect.source import Entry as Found
from autograder.collect.write import ClassFolder, Mark
from autograder.gradebook.collected import Entry, read_collected
from autograder.gradebook.students import UNSURE, Student, read_students
from autograder.intake.names import Expected, expected, meant
from autograder.store import PART, locked, write_text


@dataclass
class Collected:
    """What came of it. recognised: (download, platform, entries); strange: students with a question."""

    recognised: list[tuple[str, str, int]] = field(default_factory=list)
    students: list[Student] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    new: int = 0  # attempts that were not there before
    zone: str = ""  # in which times without one were taken, where there were any
    unread: list[str] = field(default_factory=list)  # times of the roster that are not understood
    moved: list[tuple[str, str, str]] = field(default_factory=list)  # student, time before, time of that now

    @property
    def strange(self) -> list[Student]:
        """Whom a person must look at."""
        return [one for one in self.students if one.question]


@dataclass
class _Piece:
    """One file of one student, on its way."""

    download: str
    platform: str
    found: Found
    parsed: Parsed
    when: datetime | None
    time_from: str
    order: int
    file: tuple[str, ...] = ()
    note: str = ""
    digest: str = ""  # of the attempt that it belongs to
    sha256: str = ""  # of its bytes
    damage: str = ""  # why it cannot be read


@dataclass(frozen=True)
class _Stored:
    """The attempts of one student as they lie in the class: number -> mark, and which one counts."""

    marks: dict[int, Mark]
    counts: int


def collect(
    downloads: Sequence[Path],
    out: Path,
    assignment: Assignment,
    roster: Path | None = None,
    lms: str = "auto",
) -> Collected:
    """Fills the class folder OUT. Raises DownloadError, TableError, StoreError."""
    for path in downloads:
        _refuse_itself(path, out)
    with locked(out):
        for left in out.glob(f".*{PART}"):  # of a run that was killed while writing
            left.unlink(missing_ok=True)
        return _collect(downloads, out, assignment, roster, lms)


def _collect(
    downloads: Sequence[Path], out: Path, assignment: Assignment, roster: Path | None, lms: str
) -> Collected:
    zone = _zone(assignment)
    listed = read_students(out / STUDENTS) if (out / STUDENTS).exists() else []
    before = read_collected(out / COLLECTED) if (out / COLLECTED).exists() else []
    folder = ClassFolder(out)
    written = read_students(out / WRITTEN) if (out / WRITTEN).exists() else []
    for old, new in renamed(written, listed):
        folder.rename(old, new)
        before = [moved(row, old, new) if row.student == old else row for row in before]
    told = read_roster(roster, zone) if roster else []
    students = merged(listed, told) if told else listed
    # Who is still in no roster is still a question, unless a person has taken it out of the table.
    known = [one if one.in_roster == "no" else replace(one, question="") for one in students]
    people = People(known, roster=any(one.in_roster == "yes" for one in known))
    result = Collected(unread=unread_times(roster, zone) if roster else [])
    pieces: dict[str, list[_Piece]] = defaultdict(list)
    rows: list[Entry] = []
    for order, path in enumerate(downloads):
        download = recognise(open_download(path), people.students, expected(assignment), lms)
        result.recognised.append((path.name, download.platform.told, len(download.download.entries)))
        _read(download, path.name, order, people, zone, pieces, rows, result)
    hand = written_by_hand(written, listed)
    stored: dict[str, _Stored] = {}
    for student in people.students:
        mine = pieces.get(student.student, [])
        listed_now = student if told else replace(student, submitted_at="", late="")
        found = _attempts(folder, listed_now, mine, assignment, hand.get(student.student), result)
        rows += [Entry(p.download, p.found.shown, student.student, why=p.damage) for p in mine if p.damage]
        if found is not None:
            stored[student.student] = found
            rows += [_row(piece, student, found) for piece in mine if not piece.damage]
    result.entries = all_rows(before, rows, {name: one.counts for name, one in stored.items()})
    told = [_told(one, stored.get(one.student)) for one in people.students]
    result.students = _without_moved(folder, told, result.entries)
    result.moved = list(moved_times(listed, result.students))
    write_text(out / COLLECTED, Entry.text(result.entries))
    for name in (STUDENTS, WRITTEN):
        write_text(out / name, Student.text(result.students))
    return result


def _refuse_itself(download: Path, out: Path) -> None:
    """Raises DownloadError when a class would be collected into itself."""
    one, other = download.resolve(), out.resolve()
    if one == other or one in other.parents or other in one.parents:
        raise DownloadError(f"{download}: lies in {out}, or the other way round. Give another --out.")


def _zone(assignment: Assignment) -> tzinfo:
    """Times without a zone are taken in the deadline's, else in this machine's."""
    if assignment.deadline is not None and assignment.deadline.at.tzinfo is not None:
        return assignment.deadline.at.tzinfo
    return datetime.now().astimezone().tzinfo or UTC


def _read(
    download: Recognised, name: str, order: int, people: People, zone: tzinfo,
    pieces: dict[str, list[_Piece]], rows: list[Entry], result: Collected,
) -> None:  # fmt: skip
    """All entries of one download: into `pieces` what is a student's, into `rows` what is not."""
    rows += [Entry(name, left.shown, why=left.why) for left in download.download.left_out]
    people.expect({who for _, parsed in download.parsed if parsed for who in parsed.people})
    for found, parsed in download.parsed:
        if parsed is None:
            rows.append(Entry(name, found.shown, why=f"not as {download.platform.told} names work"))
            continue
        if parsed.kind == "sidecar" or not parsed.people:
            rows.append(Entry(name, found.shown, why=parsed.note or "of the platform, not of a student"))
            continue
        when, time_from = _when(found, parsed, download, zone, result)
        owners = {student.student for who in parsed.people for student in people.of(who)}
        for student in sorted(owners):
            pieces[student].append(
                _Piece(
                    name, download.platform.name, found, parsed, when, time_from, order, parsed.file,
                    parsed.note,
                )
            )  # fmt: skip


def _when(
    found: Found, parsed: Parsed, download: Recognised, zone: tzinfo, result: Collected
) -> tuple[datetime | None, str]:
    """When it was handed in, and where that is from."""
    if parsed.when is not None:
        if parsed.when.tzinfo is None:
            result.zone = str(zone)
            return parsed.when.replace(tzinfo=zone), parsed.time_from
        return parsed.when, parsed.time_from
    if download.platform.times and download.download.archive and found.when is not None:
        result.zone = str(zone)
        return found.when.replace(tzinfo=zone), "archive time"
    return None, ""


def _renamed(pieces: Sequence[_Piece], names: Expected) -> None:
    """Canvas puts "-1" behind the name of a second attempt: it is taken off where an exercise is meant, and no
    other file of the attempt has that name."""
    there = [piece.file for piece in pieces]
    for piece in pieces:
        stem, dot, ending = piece.file[-1].rpartition(".")
        head, dash, number = stem.rpartition("-")
        plain = f"{head}{dot}{ending}"
        if dash and number.isdecimal() and plain in names and meant(piece.file[-1], names) == plain:
            meant_by = [f for f in there if f[-1] == plain or meant(f[-1], names) == plain]
            if len(meant_by) == 1:
                piece.note = f"Canvas called it {piece.file[-1]}"
                piece.file = (*piece.file[:-1], plain)


def _attempts(
    folder: ClassFolder,
    student: Student,
    pieces: Sequence[_Piece],
    assignment: Assignment,
    by_hand: Student | None,
    result: Collected,
) -> _Stored | None:
    """Stores what is new of a student; None of one who has handed nothing in. student: as the roster has it now;
    by_hand: whose time a person has written into students.csv."""
    groups: dict[tuple[int, str, int], list[_Piece]] = defaultdict(list)
    paths: set[tuple[tuple[int, str, int], tuple[str, ...]]] = set()
    data: dict[int, bytes] = {}  # of this student only: a class may be larger than memory
    for i, piece in enumerate(pieces):
        try:
            data[i] = piece.found.read()
        except CannotRead as e:
            piece.damage = str(e)
            continue
        piece.sha256 = hashlib.sha256(data[i]).hexdigest()[:16]
        # Two files of one path, whosever they are: none is written over the other.
        keys = ((piece.order, piece.parsed.attempt, n) for n in range(len(pieces)))
        key = next(key for key in keys if (key, piece.file) not in paths)
        paths.add((key, piece.file))
        groups[key].append(piece)
    of = {id(piece): i for i, piece in enumerate(pieces)}
    fresh: list[Attempt] = []
    for i, (_, group) in enumerate(sorted(groups.items())):
        if group[0].platform == "canvas":
            _renamed(group, expected(assignment))
        times = [(p.when, p.time_from) for p in group if p.when is not None]
        when, time_from = max(
            times, default=(None, ""), key=lambda t: t[0] or datetime.min.replace(tzinfo=UTC)
        )
        if time_from in ("", *UNSURE) and student.time_from == "roster" and student.when is not None:
            when, time_from = student.when, "roster"  # the list says when the last one came
        late = any(p.parsed.late for p in group) or bool(student.late)
        fresh.append(Attempt({p.file: data[of[id(p)]] for p in group}, when, time_from, late, i))
        digest = fresh[-1].digest
        for piece in group:
            piece.digest = digest
    attempts, new = numbered(with_time(folder.kept(student.student), by_hand), fresh)
    if not attempts:
        return None
    number = counting(attempts, student, assignment.attempts, assignment.deadline).number
    result.new += len(new)
    return _Stored(folder.write(student.student, attempts, new, number), number)


def _told(student: Student, stored: _Stored | None) -> Student:
    """What students.csv says of the attempt that counts."""
    if stored is None:
        if student.time_from == "roster" and student.when is not None:
            said = f"the roster says that work came at {student.submitted_at}, and no download has it"
            return replace(student, question=student.question or f"{said}: download again, or ask")
        return student
    if student.status == "draft" and not student.question:
        question = "a draft, which the platform says was not submitted: does it count? (clear `status` if so)"
        student = replace(student, question=question)
    mark, many = stored.marks[stored.counts], len(stored.marks)
    return replace(
        student,
        submitted_at=mark.when.isoformat() if mark.when else student.submitted_at,
        time_from=mark.time_from if mark.when else student.time_from,
        attempt=f"{mark.number} of {many}" if many > 1 else "1",
        late="yes" if mark.late else "",
    )


def _row(piece: _Piece, student: Student, stored: _Stored) -> Entry:
    """The row of one file in collected.csv."""
    path = "/".join(piece.file)
    number = next(n for n, mark in stored.marks.items() if mark.digest == piece.digest)
    name = stored.marks[number].stored.get(path, path)
    why = [w for w in (piece.note, f"stored as {name}" if name != path else "", student.question) if w]
    row = Entry(
        piece.download, piece.found.shown, student.student, str(number),
        piece.when.isoformat() if piece.when else "", piece.time_from,
        "question" if student.question else "taken",
        f"{student.student}/{name}", "; ".join(why), piece.sha256,
    )  # fmt: skip
    return placed(row, {student.student: stored.counts})


def _without_moved(folder: ClassFolder, students: Sequence[Student], rows: Sequence[Entry]) -> list[Student]:
    """Without strangers whose work the roster now says to be somebody else's, and is stored there."""
    owners = {row.student for row in rows}
    suspects = [one for one in students if one.in_roster == "no" and one.student not in owners]
    if not suspects:  # as a rule: whose work lies where need not be read again
        return list(students)
    digests = {one.student: {k.digest for k in folder.kept(one.student)} for one in students}
    gone = []
    for one in suspects:
        others = set().union(*(d for name, d in digests.items() if name != one.student))
        if set() < digests[one.student] <= others:
            folder.forget(one.student)
            gone.append(one)
    return [one for one in students if one not in gone]
