"""Any platform's list of people -> students. All cells are text: leading zeros stay."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import tzinfo
from pathlib import Path

from autograder.class_folder import TABLES
from autograder.collect.dates import time_in
from autograder.gradebook.names import same_name, without_accents
from autograder.gradebook.students import UNSURE, Student
from autograder.gradebook.tables import Table, TableError, read_table

# Column, without case and accents -> field of Student. "first" and "last" make the name.
COLUMNS = {
    **{f.name: f.name for f in fields(Student)},
    "id": "lms_id", "sis user id": "student_number", "sis login id": "username", "student id": "student_number",
    "identifier": "lms_id", "identificador": "lms_id", "full name": "name", "nome completo": "name",
    "nombre completo": "name", "email address": "email", "e-mail": "email", "e-mail address": "email",
    "endereco de email": "email", "direccion de correo": "email", "id number": "student_number",
    "numero de identificacao": "student_number", "numero de id": "student_number", "groups": "group",
    "grupos": "group", "grupo": "group", "first name": "first", "nome": "first", "nombre": "first",
    "last name": "last", "surname": "last", "sobrenome": "last", "apellido(s)": "last", "sid": "student_number",
    "sections": "section", "orgdefinedid": "student_number", "login": "username", "github_username": "username",
    "lms_user_id": "lms_id", "first_name": "first", "last_name": "last", "group_name": "group",
    "submission time": "submitted_at", "last modified (submission)": "submitted_at",
    "ultima modificacao (envio)": "submitted_at", "ultima modificacion (entrega)": "submitted_at",
    "zuletzt geandert (abgabe)": "submitted_at", "estado": "status",
}  # fmt: skip
PARTICIPANT = re.compile(r"[^\W\d_]+ \d+")  # as Moodle's worksheet calls people
PER_PLATFORM = {"canvas": {"student": "name"}, "nbgrader": {"id": "student"}}
# Moodle's Status, in parts with " - " between them. How late it is, is understood in English only; a time in it
# is that until which an extension was granted.
LATE = re.compile(r"\d+ (?:day|hour|hr|min|sec)\w* late\b")
DRAFT = re.compile(r"(?:draft|rascunho|borrador|entwurf|brouillon|bozza)\b", re.I)
NOT_A_PERSON = re.compile(r"\s*points possible|student, test|test student|manual posting|muted", re.I)


def read_roster(path: Path, zone: tzinfo) -> list[Student]:
    """The people of a roster of any platform, with a key for each. zone: of times without one. Raises
    TableError."""
    return with_keys(_each_once([_student(cells, zone) for cells in _people(path, zone)]))


def unread_times(path: Path, zone: tzinfo) -> list[str]:
    """Times of handing in in a roster that are not understood. Raises TableError."""
    cells = (one.get("submitted_at", "") for one in _people(path, zone))
    return [cell for cell in cells if any(c.isdigit() for c in cell) and not time_in(cell, zone)]


def _people(path: Path, zone: tzinfo) -> list[dict[str, str]]:
    """Field of Student (and "first", "last") -> cell, for each person of a table."""
    table = read_table(path)
    header = [without_accents(name.strip().casefold()) for name in table.header]
    columns = {**COLUMNS, **_own_columns(header)}
    known = {i: columns[name] for i, name in enumerate(header) if name in columns}
    if table.rows and all(PARTICIPANT.fullmatch(row[0].strip()) for row in table.rows):
        known = {**_of_worksheet(table, zone), **known}
    if not {"student", "name", "first", "email", "username", "student_number", "lms_id"} & set(
        known.values()
    ):
        raise TableError(
            f"{path}: has no column that names people ({', '.join(table.header[:8])}). A roster has one of "
            "student, name, email, username; or is one that your platform exports."
        )
    people = []
    for row in table.rows:
        cells: dict[str, str] = {}
        for i, field in known.items():
            cells.setdefault(field, row[i].strip() if i < len(row) else "")
        if any(cells.values()) and not NOT_A_PERSON.match(cells.get("name") or row[0]):
            people.append(cells)
    return people


def _of_worksheet(table: Table, zone: tzinfo) -> dict[int, str]:
    """Columns of Moodle's grading worksheet, whatever its language calls them: number, name, and the first one of
    times, which is when work was handed in. (The second is when grades were given.)"""
    found = {0: "lms_id", 1: "name"}
    for i in range(2, len(table.header)):
        cells = [row[i].strip() for row in table.rows if i < len(row) and row[i].strip() not in ("", "-")]
        if cells and all(time_in(cell, zone) for cell in cells):
            return {**found, i: "submitted_at"}
    return found


def _own_columns(header: Sequence[str]) -> dict[str, str]:
    """Columns that mean something else with some platform."""
    if "sis user id" in header or "sis login id" in header:
        return PER_PLATFORM["canvas"]
    if "lms_user_id" in header or header[:1] == ["id"] and "first_name" in header:
        return PER_PLATFORM["nbgrader"]
    return {"identifier": "student"} if "github_username" in header else {}


def _student(cells: Mapping[str, str], zone: tzinfo) -> Student:
    first, last = cells.get("first", ""), cells.get("last", "")
    told = {k: v for k, v in cells.items() if k not in ("first", "last", "submitted_at", "status")}
    told.setdefault("student", "")
    name = told.get("name") or f"{first} {last}".strip()
    lms_id = re.sub(r"^\D+(?=\d+$)", "", told.get("lms_id", ""))  # "Participant 123"
    at = time_in(cells.get("submitted_at", ""), zone)
    status = cells.get("status", "")
    granted = next((until for part in status.split(" - ") if (until := time_in(part, zone))), "")
    number = told.get("student_number", "").lstrip("#")
    username = told.get("username", "").lstrip("#")
    return replace(
        Student(**told), late=told.get("late", "") or ("yes" if LATE.search(status) else ""),
        status="draft" if DRAFT.match(status) else "", extension=told.get("extension", "") or granted,
        name=_unescaped(name), lms_id=lms_id,
        student_number=number, username=username, submitted_at=at, time_from=("roster" if at else ""),
        in_roster="yes",
    )  # fmt: skip


def _unescaped(name: str) -> str:
    """Canvas writes a name that begins like a formula as ="name"."""
    found = re.fullmatch(r'="(.*)"', name)
    return found[1] if found else name


def _each_once(people: Sequence[Student]) -> list[Student]:
    """Without the further rows of somebody who is in several sections: the same in all that identifies people."""
    found: dict[tuple[str, ...], Student] = {}
    for i, one in enumerate(people):
        ids = (one.student, one.email.casefold(), one.lms_id, one.username.casefold(), one.student_number)
        key = (*ids, same_name(one.name)) if any(ids) else (str(i),)  # a name alone may be two people's
        first = found.setdefault(key, one)
        for name in ("section", "group"):
            mine, theirs = getattr(first, name), getattr(one, name)
            if theirs and theirs not in mine.split(";"):
                first = replace(first, **{name: f"{mine};{theirs}" if mine else theirs})
        found[key] = first
    return list(found.values())


def with_keys(people: Sequence[Student]) -> list[Student]:
    """Each with a key of their own: the roster's, else user name, e-mail, number or name, as far as they are
    unique."""
    taken: set[str] = set()
    found = []
    for one in people:
        key = next((k for k in _keys(one) if k and k.casefold() not in taken), "")
        if not key:
            base = next((k for k in _keys(one) if k), "student")
            key = next(
                f"{base}-{n}" for n in range(2, len(people) + 3) if f"{base}-{n}".casefold() not in taken
            )
        taken.add(key.casefold())
        found.append(replace(one, student=key))
    return found


def _keys(one: Student) -> Iterator[str]:
    if one.student:
        yield folder_name(one.student)
    yield folder_name(one.username)
    yield folder_name(one.email.partition("@")[0])
    yield folder_name(one.name)
    if one.name and one.lms_id:
        yield folder_name(f"{one.name}-{one.lms_id}")
    yield folder_name(one.student_number)
    yield folder_name(one.lms_id)


IDENTIFYING = ("email", "username", "student_number")  # lms_id: may be one of an earlier assignment
RESERVED = {"con", "prn", "aux", "nul", *(f"{p}{i}" for p in ("com", "lpt") for i in range(1, 10))}


def folder_name(text: str) -> str:
    """A name that every system takes for a folder: letters, digits, ".", "_" and "-"; "" of nothing."""
    plain = unicodedata.normalize("NFC", text).strip()
    kept = re.sub(r"[^\w.]+", "-", plain).strip("-. ")
    while len(kept.encode()) > 80:
        kept = kept[:-1]
    kept = kept.lower() if re.search(r"\s", plain) else kept
    if kept.casefold() in TABLES:
        return f"_{kept}"
    return f"_{kept}" if kept.casefold().partition(".")[0] in RESERVED else kept


def merged(old: Sequence[Student], roster: Sequence[Student]) -> list[Student]:
    """students.csv as it was, and a roster: keys and what a person has written stay, what was empty is filled.
    Who is new gets a key that nobody has.

    Without a roster the old one. With one, who is only in the old one stays, but is not in the roster.
    """
    ids = {key: one for one in old for key in _ids(one)}
    known = {i: ids[key] for i, new in enumerate(roster) for key in reversed(_ids(new)) if key in ids}
    gone = {one.student for one in known.values()}
    before = _by_name(one for one in old if one.student not in gone)
    now = _by_name(one for i, one in enumerate(roster) if i not in known)
    for i, new in enumerate(roster):
        alike = [] if i in known else _alike(new, before)
        if len(alike) == 1 and len(_alike(alike[0], now)) == 1:  # else several may be meant
            known[i] = alike[0]
    taken = {one.student.casefold() for one in old}
    found = []
    for i, new in enumerate(roster):
        same = known.get(i)
        if same is None:
            numbered = (f"{new.student}-{n}" for n in range(2, len(roster) + len(taken) + 3))
            key = next(k for k in (new.student, *numbered) if k.casefold() not in taken)
            taken.add(key.casefold())
            found.append(replace(new, student=key))
            continue
        empty = {f.name: getattr(new, f.name) for f in fields(Student) if not getattr(same, f.name)}
        now_known = {"in_roster": "yes", "late": new.late, "status": new.status}
        if new.submitted_at and same.time_from in ("", "roster", *UNSURE):
            now_known |= {"submitted_at": new.submitted_at, "time_from": new.time_from}
        found.append(replace(same, **{**empty, **now_known}))
    gone = {one.student for one in known.values()}
    left = [one for one in old if one.student not in gone]
    return found + [replace(one, in_roster="no") if roster else one for one in left]


def renamed(written: Sequence[Student], now: Sequence[Student]) -> list[tuple[str, str]]:
    """(old, new) of each key that a person has changed in students.csv: of a row that is otherwise the same."""
    before, after = ({one.student for one in some} for some in (written, now))
    found = []
    for one in (one for one in now if one.student not in before):
        same = [o for o in written if o.student not in after and _who(o) == _who(one) and any(_who(o))]
        if len(same) == 1:
            found.append((same[0].student, one.student))
    return found


def written_by_hand(written: Sequence[Student], now: Sequence[Student]) -> dict[str, Student]:
    """Key -> row in which a person has changed the time, or what it is from."""
    before = {one.student: (one.submitted_at, one.time_from) for one in written}
    changed = (one for one in now if before.get(one.student, ("", "")) != (one.submitted_at, one.time_from))
    return {one.student: one for one in changed if one.student in before}


def _who(one: Student) -> tuple[str, ...]:
    return (one.name, one.lms_id, *(getattr(one, name) for name in IDENTIFYING))


def _ids(one: Student) -> list[tuple[str, str]]:
    """What nobody else has, the surest first."""
    return [(name, getattr(one, name).casefold()) for name in IDENTIFYING if getattr(one, name)]


def _by_name(some: Iterable[Student]) -> dict[str, list[Student]]:
    """By key, and by name."""
    found: dict[str, list[Student]] = {}
    for one in some:
        for name in {one.student, same_name(one.name)} - {""}:
            found.setdefault(name, []).append(one)
    return found


def _alike(one: Student, some: Mapping[str, list[Student]]) -> list[Student]:
    """Who may be the same, where only key or name tell: nothing that identifies people says otherwise."""
    found = {o.student: o for name in (one.student, same_name(one.name)) for o in some.get(name, ())}
    return [o for o in found.values() if _same(o, one)]


def _same(a: Student, b: Student) -> bool:
    both = ((getattr(a, name), getattr(b, name)) for name in IDENTIFYING)
    if any(mine and theirs for mine, theirs in both):  # and they differ, or it would be known already
        return a.student == b.student and same_name(a.name) == same_name(b.name)
    return a.student == b.student or (bool(a.name) and same_name(a.name) == same_name(b.name))
