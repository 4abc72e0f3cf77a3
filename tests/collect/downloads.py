"""Bulk downloads as each platform makes them, accents, same names, attempts, late work."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

FIRST = [
    "Ana",
    "João",
    "Zoë",
    "Mary-Ann",
    "Núria",
    "Đặng",
    "O'Neil",
    "José Luís",
    "Søren",
    "Li",
    "Ωmega",
    "Bruno",
]
LAST = ["Souza", "da Silva", "Müller", "Smith", "Østergård", "Nguyễn", "García Márquez", "Doe", "Ng", "Lima"]
WORK = {"heads.py": b"def split_heads(x, n_head):\n    return x\n"}


@dataclass
class Person:
    """One of the class. files: what they handed in, as the platform has it; nothing: handed in nothing."""

    number: int
    name: str
    username: str
    files: dict[str, bytes] = field(default_factory=dict)
    late: bool = False

    @property
    def email(self) -> str:
        """Theirs, unique."""
        return f"{self.username}@example.org"

    @property
    def lms_id(self) -> str:
        """The platform's number, with a leading zero for some."""
        return f"{40000 + self.number}"


@dataclass
class Class:
    """people: all, those without work included; download: the zip; roster: a CSV of all of them."""

    people: list[Person]
    download: Path
    roster: Path


def people(n: int, seed: int = 0, work: Callable[[int], Mapping[str, bytes]] | None = None) -> list[Person]:
    """n people, some of the same name; about one in ten has handed in nothing, some are late."""
    chance = random.Random(seed)
    found = []
    for i in range(n):
        name = f"{chance.choice(FIRST)} {chance.choice(LAST)}"
        one = Person(i, name, f"u{i:04d}")
        if i % 10 != 9:
            one.files = dict(work(i) if work else {**WORK, "notes.txt": str(i).encode()})
            one.late = i % 7 == 3
        found.append(one)
    return found


def make(
    platform: str,
    folder: Path,
    n: int,
    seed: int = 0,
    work: Callable[[int], Mapping[str, bytes]] | None = None,
) -> Class:
    """A download of that platform in `folder`, and the roster of the class."""
    group = people(n, seed, work)
    files = NAMED[platform](group)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{platform}.zip"
    packed(path, files)
    roster = folder / "roster.csv"
    lines = ["student,name,email,lms_id,username,student_number"]
    lines += [f'{p.username},"{p.name}",{p.email},{p.lms_id},{p.username},00{p.number}' for p in group]
    roster.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Class(group, path, roster)


def packed(path: Path, files: Mapping[str, bytes]) -> None:
    """A zip of these files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)


def moodle(group: list[Person]) -> dict[str, bytes]:
    """Folders."""
    return {
        f"{p.name.replace(chr(39), '')}_{p.lms_id}_assignsubmission_file/{name}": data
        for p in group
        for name, data in p.files.items()
    }


def moodle_flat(group: list[Person]) -> dict[str, bytes]:
    """Before Moodle 3.1."""
    return {key.replace("_file/", "_file_"): data for key, data in moodle(group).items()}


def canvas(group: list[Person]) -> dict[str, bytes]:
    """Flat, sortable names."""
    found = {}
    for p in group:
        first, _, last = p.name.partition(" ")
        name = "".join(c for c in f"{last}{first}".lower() if c.isalnum() or c == "_")
        for i, (file, data) in enumerate(p.files.items()):
            found[f"{name}{'_LATE' if p.late else ''}_{p.lms_id}_{90000 + 10 * p.number + i}_{file}"] = data
    return found


def gradescope(group: list[Person]) -> dict[str, bytes]:
    """With submission_metadata.yml and what macOS leaves behind."""
    told, found = [], {}
    for p in (p for p in group if p.files):
        key = f"submission_{700 + p.number}"
        told.append(
            f'{key}:\n  :submitters:\n  - :name: "{p.name}"\n    :sid: "00{p.number}"\n    :email: {p.email}\n'
            f"  :created_at: 2027-03-01 2{p.number % 4}:0{p.number % 10}:00.000000000 -03:00\n  :score: 1.0\n"
        )
        for name, data in p.files.items():
            found[f"assignment_1_export/{key}/{name}"] = data
            found[f"__MACOSX/assignment_1_export/{key}/._{name}"] = b"x"
    return {"assignment_1_export/submission_metadata.yml": "".join(told).encode(), **found}


def blackboard(group: list[Person]) -> dict[str, bytes]:
    """A note for each attempt, and two attempts for some."""
    found = {}
    for p in (p for p in group if p.files):
        for day in (1, 2) if p.number % 5 == 0 else (1,):
            stem = f"HW_1_{p.username}_attempt_2027-03-0{day}-23-59-01"
            found[f"{stem}.txt"] = f"Name: {p.name} ({p.username})\n".encode()
            for name, data in p.files.items():
                found[f"{stem}_{name}"] = data + (b"# again\n" if day == 2 else b"")
    return found


def d2l(group: list[Person]) -> dict[str, bytes]:
    """Only names: those who share one cannot be told apart."""
    return {
        f"397063-2557369 - {p.name} - Mar {1 + p.late}, 2027 926 PM/{name}": data
        for p in group
        for name, data in p.files.items()
    } | {"index.html": b"<html>"}


def sakai(group: list[Person]) -> dict[str, bytes]:
    """With a time in a file."""
    found = {"HW 1/grades.csv": b"HW 1,SCORE\n"}
    for p in (p for p in group if p.files):
        first, _, last = p.name.partition(" ")
        top = f"HW 1/{last}, {first}({p.username})"
        found[f"{top}/timestamp.txt"] = b"20270301235901123"
        found |= {f"{top}/Submission attachment(s)/{name}": data for name, data in p.files.items()}
    return found


def ilias(group: list[Person]) -> dict[str, bytes]:
    """Last, first, login, number."""
    found = {}
    for p in group:
        first, _, last = p.name.replace("_", " ").partition(" ")
        for name, data in p.files.items():
            found[f"HW 1/Abgaben/{last}_{first}_{p.username}_{p.lms_id}/{name}"] = data
    return found


def github_classroom(group: list[Person]) -> dict[str, bytes]:
    """Clones."""
    found = {}
    for p in (p for p in group if p.files):
        top = f"hw-1-submissions/hw-1-{p.username}"
        log = f"{'0' * 40} {'a' * 40} {p.name} <{p.email}> {1772420341 + p.number} -0300\tcommit: done\n"
        found[f"{top}/.git/logs/HEAD"] = log.encode()
        found[f"{top}/.git/objects/aa/bb"] = b"x"
        found |= {f"{top}/{name}": data for name, data in p.files.items()}
    return found


def nbgrader(group: list[Person]) -> dict[str, bytes]:
    """submitted/ of a course."""
    found = {}
    for p in (p for p in group if p.files):
        top = f"submitted/{p.username}/hw1"
        found[f"{top}/timestamp.txt"] = b"2027-03-02 02:59:00.000000 UTC"
        found |= {f"{top}/{name}": data for name, data in p.files.items()}
    return found


def folders(group: list[Person]) -> dict[str, bytes]:
    """By hand."""
    return {f"{p.username}/{name}": data for p in group for name, data in p.files.items()}


NAMED: dict[str, Callable[[list[Person]], dict[str, bytes]]] = {
    "moodle": moodle, "moodle flat": moodle_flat, "canvas": canvas, "gradescope": gradescope,
    "blackboard": blackboard, "d2l": d2l, "sakai": sakai, "ilias": ilias,
    "github-classroom": github_classroom, "nbgrader": nbgrader, "folders": folders,
}  # fmt: skip


def notebook(code: str) -> bytes:
    """A notebook of one cell."""
    cell: dict[str, object] = {
        "cell_type": "code",
        "source": code,
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()
