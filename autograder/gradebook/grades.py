"""All grades of a class: results, students.csv and overrides.csv put together.

Everything that shows or exports grades asks here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Self

from autograder.assignment import Assignment
from autograder.class_folder import COLLECTED, OVERRIDES, STUDENTS, attempt_of
from autograder.gradebook.collected import Entry, read_collected
from autograder.gradebook.overrides import Override, read_overrides
from autograder.gradebook.policy import Grade, final_grade, machine_grade
from autograder.gradebook.record import Late, RunRecord, read_record
from autograder.gradebook.students import Student, read_students, when
from autograder.gradebook.tables import TableError, same_text
from autograder.results import Problem, SubmissionResult
from autograder.store import Store, all_results

LONG_AGO = datetime.min.replace(tzinfo=UTC)
Results = Mapping[str, tuple[Path, SubmissionResult]]  # student (or attempt) -> folder of the pages, result


@dataclass(frozen=True)
class StudentGrade:
    """One person. result: of the attempt that counts, None when there is none; grade: None when there is none
    that counts; folder: where the pages lie; attempt: its name, where it is not the last one."""

    student: Student
    result: SubmissionResult | None = None
    grade: Grade | None = None
    problems: tuple[Problem, ...] = ()
    folder: Path | None = None
    attempt: str = ""

    @property
    def name(self) -> str:
        """As tables show it."""
        return self.student.student

    @property
    def decided(self) -> bool:
        """Whether a person has decided something of the grade (in overrides.csv)."""
        return self.grade is not None and bool(self.grade.overrides)


@dataclass(frozen=True)
class ClassFiles:
    """What lies beside a class: students.csv, collected.csv and overrides.csv, as far as they are there."""

    students: tuple[Student, ...] = ()
    entries: tuple[Entry, ...] = ()
    overrides: tuple[Override, ...] = ()

    @classmethod
    def read(cls, folder: Path | None, assignment: Assignment, students: Path | None = None) -> Self:
        """folder: of the class; students: another students.csv. Raises TableError with all that is wrong."""
        table = students or (folder / STUDENTS if folder else None)
        told = read_students(table) if table and (students or table.exists()) else []
        entries = read_collected(folder / COLLECTED) if folder and (folder / COLLECTED).exists() else []
        overrides = read_overrides(folder / OVERRIDES, assignment) if folder else []
        return cls(tuple(told), tuple(entries), tuple(overrides))

    def student(self, name: str) -> Student:
        """Who that is; of somebody who is not in students.csv nothing but the name is known."""
        return next((one for one in self.students if one.student == name), Student(name))

    def grade(self, name: str, result: SubmissionResult, assignment: Assignment) -> Grade | None:
        """The grade of one result, None where there is none. name: of a student, or of one attempt of theirs."""
        which = attempt_of(name)
        student = self.of_attempt(*which) if which else self.student(name)
        decided = self.decided(student.student)
        if not result.graded:
            return by_hand(result, student, assignment, decided)
        return final_grade(result, student, assignment, decided)

    def decided(self, student: str) -> list[Override]:
        """What a person has decided for one of them."""
        return [one for one in self.overrides if same_text(one.student) == same_text(student)]

    def of_attempt(self, student: str, attempt: str) -> Student:
        """That person, with the time of that attempt as collected.csv has it, or none."""
        entries = [e for e in self.entries if (e.student, e.attempt) == (student, attempt)]
        last = max(entries, key=lambda e: (when(e.submitted_at) or LONG_AGO, e.submitted_at), default=None)
        at, source = (last.submitted_at, last.time_from) if last else ("", "")
        return replace(self.student(student), submitted_at=at, time_from=source)


def class_grades(out: Path, assignment: Assignment, students: Path | None = None) -> list[StudentGrade]:
    """The grades of a folder of results, one for each person of the class. Raises TableError.

    students: another students.csv than the one beside the class.
    """
    record = read_record(out)
    files = class_files(out, record, assignment, students)
    found = {result.student: (folder, result) for folder, result in all_results(out)[0].items()}
    if record is None:
        return grades_of(out, files, found, list(found), assignment, {})
    names = record.students if record.whole else list(dict.fromkeys([*record.students, *found]))
    return grades_of(out, files, found, names, assignment, record.problems, record.late)


def class_files(
    out: Path, record: RunRecord | None, assignment: Assignment, students: Path | None = None
) -> ClassFiles:
    """What lies beside the class of a folder of results. Raises TableError, also where it lay there and the
    class is gone: nobody's extension is forgotten in silence."""
    folder = record.class_folder(out) if record else None
    if folder is not None and not folder.is_dir():
        if record and record.tables and students is None:
            lay = " and ".join(record.tables)
            raise TableError(
                f"{folder}: the class is not there any more, and with it {lay}. Put it back, or give "
                "--students FILE (an overrides.csv is looked for beside it)."
            )
        folder = None
    if folder is None and students is not None:
        folder = students.parent
    return ClassFiles.read(folder, assignment, students)


def grades_of(
    out: Path,
    files: ClassFiles,
    results: Results,
    names: Sequence[str],
    assignment: Assignment,
    problems: Mapping[str, Sequence[Problem]],
    late: Mapping[str, Late] | None = None,
) -> list[StudentGrade]:
    """One grade for each person: those of students.csv, then the others. Of several attempts that were graded
    the best one after penalties, if the best one is to count.

    out: the folder of results; names: of all submissions, in order; problems: what a run said of them, where
    that is more than the result; late: what nbgrader says, whose rules then count instead of [deadline].
    """
    known = {one.student for one in files.students}
    attempts: dict[str, list[str]] = {}
    for name in names:
        if (which := attempt_of(name)) is not None and which[0] in known:
            attempts.setdefault(which[0], []).append(name)
    if late is not None:
        assignment = assignment.model_copy(update={"deadline": None})
    told = {name for some in attempts.values() for name in some} | known
    people = [*files.students, *(Student(name) for name in names if name not in told)]
    graded = []
    for student in people:
        others = attempts.get(student.student, []) if assignment.attempts.count == "best" else []
        mine = [student.student, *others]
        every = [_one(student, name, files, results, assignment, problems) for name in mine]
        best = max(every, key=lambda one: -1 if one.grade is None else one.grade.final)
        graded.append(_by_machine(best, late[best.name], assignment) if late and best.name in late else best)
    store = Store(out, [one.name for one in graded])
    # Who has a grade has a page, also without work.
    return [
        one if one.folder or one.grade is None else replace(one, folder=store.folder(one.name))
        for one in graded
    ]


def _by_machine(one: StudentGrade, said: Late, assignment: Assignment) -> StudentGrade:
    """With what a person has given in nbgrader, and what it takes off for late work, where there is a grade: of
    the machine, or of a person for every exercise."""
    if one.result is not None and one.result.graded:
        return replace(one, grade=machine_grade(one.result, assignment, said))
    if said.points.keys() >= {e.id for e in assignment.exercises}:
        nothing = SubmissionResult.nothing(one.name)
        return replace(one, grade=machine_grade(nothing, assignment, said))
    return one


def _one(
    student: Student,
    name: str,
    files: ClassFiles,
    results: Results,
    assignment: Assignment,
    problems: Mapping[str, Sequence[Problem]],
) -> StudentGrade:
    """One attempt of one person."""
    decided = files.decided(student.student)
    asked = tuple(_questions(student, assignment, decided)) if name == student.student else ()
    if name not in results:
        told = tuple(problems.get(name, ())) or (Problem(id="nothing_handed_in"),)
        missing = assignment.grades.missing == "zero" and not problems.get(name)
        nothing = SubmissionResult.nothing(student.student)
        grade = by_hand(nothing, student, assignment, decided, zero=missing)
        return StudentGrade(student, None, grade, (*told, *asked))
    folder, result = results[name]
    told = (*problems.get(name, result.problems), *asked)
    which = attempt_of(name)
    grade = files.grade(name, result, assignment)
    return StudentGrade(student, result, grade, told, folder, which[1] if which else "")


def _questions(student: Student, assignment: Assignment, decided: Sequence[Override]) -> Iterator[Problem]:
    """What students.csv leaves to a person, and what a person may have mistyped."""
    for one in decided:
        most = (
            assignment[one.exercise].points if one.exercise else sum(e.points for e in assignment.exercises)
        )
        if one.points > Decimal(str(most)):
            points = float(one.points)
            yield Problem(
                id="override_above", params={"points": points, "of": most, "exercise": one.exercise or None}
            )
    if student.question:
        yield Problem(id="question", params={"text": student.question})
    if assignment.deadline and student.late and student.when is None:
        yield Problem(id="late_unknown")


def by_hand(
    result: SubmissionResult,
    student: Student,
    assignment: Assignment,
    decided: Sequence[Override],
    *,
    zero: bool = False,
) -> Grade | None:
    """The grade of somebody without a result that counts: what a person has decided; else 0 when `zero`, or
    none. Late work costs where single exercises were decided: that is work which came in. What the grader
    failed to judge in the others costs nothing there either."""
    if not decided and not zero:
        return None
    if not any(one.exercise for one in decided):
        assignment = assignment.model_copy(update={"deadline": None})
        result = SubmissionResult.nothing(student.student)
    return final_grade(result, student, assignment, decided)
