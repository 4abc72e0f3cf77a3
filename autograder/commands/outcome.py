"""What a graded class leaves behind: run.json, grades.csv and the pages."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder import __version__
from autograder.assignment import Assignment
from autograder.batch.run import Class, Options
from autograder.course import Language
from autograder.feedback.rich import plain
from autograder.feedback.texts import texts
from autograder.feedback.wording import flag_for_instructor, problem
from autograder.gradebook.grades import ClassFiles, StudentGrade, grades_of
from autograder.gradebook.look import to_look_at
from autograder.gradebook.policy import Grade, machine_grade
from autograder.gradebook.record import RunRecord, path_from, write_record
from autograder.gradebook.table import grades_csv
from autograder.results import Problem
from autograder.store import Store, write_text


@dataclass(frozen=True)
class Outcome:
    """Where the outcome of a run goes, and by which rules.

    course: the course.toml that was named, if one was. files: what lies beside the class. machine: student ->
    seconds late and penalty, where nbgrader says them.
    """

    options: Options
    lang: Language
    course: Path | None
    files: ClassFiles
    machine: Mapping[str, tuple[float | None, float]] = field(default_factory=dict)

    def grades(self, graded: Class) -> list[StudentGrade]:
        """The grades of all, as grades.csv has them."""
        assignment = self.options.assignment
        store = Store(self.options.out, [row.student for row in graded.rows])
        results = {row.student: (store.folder(row.student), row.result) for row in graded.rows if row.result}
        problems = {row.student: row.problems for row in graded.rows}
        found = grades_of(self.files, results, list(problems), assignment, problems)
        return [self._by_machine(one, assignment) for one in found]

    def _by_machine(self, one: StudentGrade, assignment: Assignment) -> StudentGrade:
        if one.name not in self.machine or one.result is None or one.grade is None:
            return one
        return replace(one, grade=machine_grade(one.result, assignment, *self.machine[one.name]))

    def write(
        self, graded: Class, with_page: Collection[str], plain_pages: Collection[str]
    ) -> list[StudentGrade]:
        """Everything, for all of the class. Raises StoreError.

        with_page: students who have their page already; plain_pages: those of them whose page cannot say
        everything. Their rows say so, as do all others of the kind.
        """
        from autograder.feedback import render

        grades = self._tables(graded)
        out, assignment = self.options.out, self.options.assignment
        waiting = [row.student for row in graded.rows if row.waiting]
        done = render(out, assignment, self.lang, with_page, waiting, grades_by_result(grades))
        if told := {*plain_pages, *done.plain}:
            why = Problem(id="page.plain")
            graded.rows = [
                replace(row, problems=(*row.problems, why)) if row.student in told else row
                for row in graded.rows
            ]
            grades = self._tables(graded)
        return grades

    def _tables(self, graded: Class) -> list[StudentGrade]:
        grades = self.grades(graded)
        out = self.options.out
        write_table(out, grades, self.options.assignment, self.lang)
        found = self.options.found is None
        record = RunRecord(
            submissions=path_from(out, self.options.submissions) if found else None,
            course=None if self.course is None else path_from(out, self.course),
            lang=self.lang,
            version=__version__,
            students=[row.student for row in graded.rows],
            problems={row.student: list(row.problems) for row in graded.rows if row.problems},
        )
        write_record(out, record)
        return grades


def grades_by_result(grades: Sequence[StudentGrade]) -> dict[str, Grade]:
    """Name of a result -> the grade that its page tells."""
    return {
        one.result.student: one.grade for one in grades if one.result is not None and one.grade is not None
    }


def write_table(out: Path, grades: Sequence[StudentGrade], assignment: Assignment, lang: Language) -> None:
    """OUT/grades.csv. Raises StoreError."""
    say = texts(lang, assignment)

    def problems(one: StudentGrade) -> str:
        return " ".join(plain(problem(p, say)) for p in one.problems)

    def flags(one: StudentGrade) -> str:
        found = to_look_at(one.result.flags) if one.result is not None else []
        return " ".join(plain(flag_for_instructor(f, say)) for f in found)

    write_text(out / "grades.csv", grades_csv(grades, assignment, problems, flags))
