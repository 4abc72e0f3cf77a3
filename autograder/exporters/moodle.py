"""Moodle: its grading worksheet, filled; and the zip that "Upload multiple feedback files" takes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape

from autograder.exporters.exporter import Exported, ExportError, Request, pages, points
from autograder.exporters.filling import Filling, found, needed, one_column
from autograder.exporters.handback import by_name, download_names
from autograder.exporters.people import People, bare, called
from autograder.exporters.rawcsv import number
from autograder.gradebook.grades import StudentGrade

# The worksheet is in the language of whoever downloads it: these are known, others name their column.
ID = ("Identifier", "Identificador", "Identifierare")
NAME = ("Full name", "Nome completo", "Nombre completo", "Vollständiger Name")
EMAIL = ("Email address", "Endereço de email", "Endereço de e-mail", "Dirección de correo", "E-Mail-Adresse")
NUMBER = ("ID number", "Número de identificação", "Número de ID", "ID-Nummer")
GRADE = ("Grade", "Nota", "Calificación", "Bewertung")
MOST = ("Maximum grade", "Maximum Grade", "Nota máxima", "Calificación máxima", "Bestwertung")
OPEN = ("Grade can be changed", "Nota pode ser alterada", "La calificación puede ser cambiada",
        "Bewertung kann geändert werden")  # fmt: skip
COMMENTS = ("Feedback comments", "Comentários de feedback", "Comentarios de retroalimentación",
            "Feedback als Kommentar")  # fmt: skip
NO = {"no", "não", "nao", "nein"}
PARTICIPANT = re.compile(r"\D+(\d+)")
FOLDER = re.compile(r"([^_/]+_(\d+)_)assignsubmission_")


class Moodle:
    """People are known by the participant number, which is one of this assignment only."""

    name, told = "moodle", "Moodle"
    options = frozenset({"into", "column", "scale", "comments"})

    def export(self, request: Request) -> Exported:
        """The worksheet, its grades filled, and its comments where they are asked for."""
        file = needed(request.into, "the grading worksheet that Moodle downloads")
        header = file.header()
        if "Scale" in header:
            raise ExportError(
                f"{file.path}: the assignment is graded with a scale there, which takes no points."
            )
        numbers = [n for i, n in enumerate(header) if all(_numeric(file.get(r, i)) for r in file.body())]
        columns = [n for n in GRADE if n in header] or [n for n in numbers if n not in MOST]
        column = one_column(file, request.column, columns, "its columns of grades may be")
        most, may, words = (found(header, names) for names in (MOST, OPEN, COMMENTS))
        if request.comments and words is None:
            raise ExportError(f"{file.path}: has no column for comments; leave --comments out")
        keys = [
            *((name, lambda one: one.student.email) for name in EMAIL),
            *((name, lambda one: one.student.student_number) for name in NUMBER),
        ]
        people = People(file, request.grades, keys, name=next((n for n in NAME if n in header), None))
        participants = _Participants(request, people)
        filling = Filling(file, request, people, participants.who)

        def closed(row: int) -> str:
            if row in participants.torn:
                return "export.torn"
            return "export.locked" if may is not None and file.get(row, may).casefold() in NO else ""

        filling.fill(
            column, file.body(), lambda row: None if most is None else number(file.get(row, most)), closed
        )
        if request.comments and words is not None:
            for row, one in filling.filled.items():
                file.set(row, words, comment(one, request))
        zero = [one.name for one in filling.filled.values() if one.grade is not None and not one.grade.final]
        filling.done.tell("export.zero", zero)
        filling.done.say("export.moodle_upload")
        filling.done.files["moodle.csv"] = file.bytes()
        return filling.done

    def feedback(self, request: Request) -> dict[str, StudentGrade] | None:
        """By the participant's number in the download; of who has no work in it by the one in students.csv."""
        known = by_name(request, _prefix, lambda name: f"{name}assignfeedback_file/feedback.html")
        with_work = {entry.student for entry in request.entries if FOLDER.search(entry.entry)}
        taken = {name.split("_")[-3] for name in known}
        for one in pages(request.grades):
            number = one.student.lms_id
            if number.isdecimal() and one.name not in with_work and number not in taken:
                name = re.sub(r"[_/\\]", " ", one.student.name or one.name)
                known[f"{name}_{one.student.lms_id}_assignfeedback_file/feedback.html"] = one
        return known


@dataclass
class _Participants:
    """Whose row is whose, by the number. torn: rows whose number is one student's, and whose name is another's;
    where that is the rule, the worksheet is of another assignment (raises ExportError)."""

    request: Request
    people: People
    torn: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        file = self.people.file
        told = download_names(self.request, _prefix)
        self._sure = {name: part.split("_")[-2] for name, part in told.items()}
        self._by: dict[str, list[StudentGrade]] = {}
        for one in self.request.grades:
            self._by.setdefault(self._sure.get(one.name, one.student.lms_id), []).append(one)
        header, rows = file.header(), file.body()
        self._id, self._mail = found(header, ID), found(header, EMAIL)
        if self._id is None:  # in a language that is not known: the first column of a word and a number
            ids = (i for i in range(len(header)) if all(PARTICIPANT.fullmatch(file.get(r, i)) for r in rows))
            self._id = next(ids, None)
        known = [row for row in rows if self.who(row) is not None]
        if self.torn and 2 * len(self.torn) >= len(known):
            raise ExportError(
                f"{file.path}: the numbers of {len(self.torn)} participants are others than in this class, where "
                "their names and addresses are. Is it the worksheet of another assignment? Download it again."
            )

    def who(self, row: int) -> StudentGrade | None:
        """The student of a row."""
        number = PARTICIPANT.fullmatch(self.people.file.get(row, self._id)) if self._id is not None else None
        hits = self._by.get(number[1], []) if number else []
        named = self.people.who(row)
        if number and len(hits) != 1:
            if named is not None and self._sure.get(named.name, number[1]) != number[1]:
                self.torn.add(row)
            return named
        if not hits:
            return named
        if (named is not None and named is not hits[0]) or (named is None and self._stranger(row, hits[0])):
            self.torn.add(row)
        return hits[0]

    def _stranger(self, row: int, one: StudentGrade) -> bool:
        """Whether mail and name in a row are those of somebody else."""
        mail = self.people.file.get(row, self._mail).casefold() if self._mail is not None else ""
        if mail and one.student.email:
            return mail != one.student.email.casefold()
        name, known = set(bare(self.people.named(row)).split()), set(bare(called(one)).split())
        return bool(name and known and not name & known)


def _prefix(entry: str, one: StudentGrade) -> str | None:
    """ "Ana Souza_12345_" """
    shape = FOLDER.search(entry)
    return shape[1] if shape else None


def _numeric(cell: str) -> bool:
    return cell in ("", "-") or number(cell) is not None


def comment(one: StudentGrade, request: Request) -> str:
    """Points by exercise, as HTML; "" where a person has decided the whole, and these are not what counts."""
    assert one.grade is not None
    if any(not decided.exercise for decided in one.grade.overrides):
        return ""
    lines = [
        f"{escape(e.title.get(request.lang, e.id))}: {points(one.grade.exercises[e.id])} / {e.points:g}"
        for e in request.assignment.exercises
        if e.id in one.grade.exercises
    ]
    return "<p>" + "<br>".join(lines) + "</p>"
