"""What a graded class leaves behind: run.json, grades.csv and the pages."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from autograder import __version__
from autograder.assignment import Assignment
from autograder.batch.run import Class, Listener, Options
from autograder.class_folder import TABLES
from autograder.commands.forwarding import ForwardingListener
from autograder.course import Language
from autograder.feedback.grade_words import grade_words
from autograder.feedback.rich import plain
from autograder.feedback.texts import Texts, texts
from autograder.feedback.wording import flag_for_instructor, problem
from autograder.gradebook.grades import ClassFiles, StudentGrade, grades_of
from autograder.gradebook.look import to_look_at
from autograder.gradebook.record import Late, RunRecord, read_record, write_record
from autograder.gradebook.table import grades_csv
from autograder.results import Problem
from autograder.store import Store, path_from, write_text

FLAGS = 5  # of one student that grades.csv has in words


@dataclass(frozen=True)
class Outcome:
    """Where the outcome of a run goes, and by which rules.

    course: the course.toml that was named, if one was. files: what lies beside the class. late: student -> what
    nbgrader says, in a run with --nbgrader.
    """

    options: Options
    lang: Language
    course: Path | None
    files: ClassFiles
    late: Mapping[str, Late] | None = None

    @property
    def course_file(self) -> str | None:
        """The course.toml as run.json names it."""
        return None if self.course is None else path_from(self.options.out, self.course)

    def begin(self) -> None:
        """Writes run.json as it is until the run is over: should it not come to its end, its results are known
        to be of this class. Raises StoreError."""
        old = read_record(self.options.out)
        names = old.students if old else []
        known = {"problems": old.problems, "told": old.told, "late": old.late} if old else {}
        write_record(self.options.out, self._record(names).model_copy(update=known))

    def grades(self, graded: Class) -> list[StudentGrade]:
        """The grades of all, as grades.csv has them."""
        store = Store(self.options.out, [row.student for row in graded.rows])
        results = {row.student: (store.folder(row.student), row.result) for row in graded.rows if row.result}
        problems = {row.student: row.problems for row in graded.rows}
        out, rules = self.options.out, self.options.assignment
        return grades_of(out, self.files, results, list(problems), rules, problems, self.late)

    def write(
        self, graded: Class, with_page: Collection[str], plain_pages: Collection[str]
    ) -> list[StudentGrade]:
        """Everything, for all of the class. Raises StoreError.

        with_page: students who have their page already; plain_pages: those of them whose page cannot say
        everything. Their rows say so, as do all others of the kind.
        """
        from autograder.feedback import render

        out, assignment = self.options.out, self.options.assignment
        grades = self.grades(graded)
        write_table(out, grades, assignment, self.lang)
        waiting = [row.student for row in graded.rows if row.waiting]
        done = render(out, assignment, self.lang, with_page, waiting, grades)
        if told := {*plain_pages, *done.plain}:
            why = Problem(id="page.plain")
            graded.rows = [
                replace(row, problems=(*row.problems, why)) if row.student in told else row
                for row in graded.rows
            ]
            grades = self.grades(graded)
            write_table(out, grades, assignment, self.lang)
        self._write_record(graded, grades)  # last: it says what the pages say
        return grades

    def _write_record(self, graded: Class, grades: Sequence[StudentGrade]) -> None:
        rest = {
            "whole": True,
            "problems": {row.student: list(row.problems) for row in graded.rows if row.problems},
            "told": told_of(grades, texts(self.lang, self.options.assignment)),
        }
        record = self._record([row.student for row in graded.rows])
        write_record(self.options.out, record.model_copy(update=rest))

    def _record(self, students: Sequence[str]) -> RunRecord:
        out, folder = self.options.out, self.options.submissions
        nbgrader = self.options.found is not None
        return RunRecord(
            submissions=None if nbgrader else path_from(out, folder),
            course=self.course_file,
            lang=self.lang,
            version=__version__,
            tables=[] if nbgrader else [name for name in TABLES if (folder / name).exists()],
            students=list(students),
            late=None if self.late is None else dict(self.late),
        )


class Recording(ForwardingListener):
    """Writes run.json as soon as it is known that there is something to grade."""

    def __init__(self, listener: Listener, outcome: Outcome) -> None:
        super().__init__(listener)
        self.outcome = outcome

    def begins(self, todo: int, kept: int, others: Sequence[str]) -> None:
        """See Listener."""
        self.outcome.begin()
        super().begins(todo, kept, others)


def told_of(grades: Sequence[StudentGrade], say: Texts) -> dict[str, list[str]]:
    """Student -> the sentences about the grade that their page has; without those whose page has none."""
    words = {one.name: grade_words(one.grade, say) for one in grades}
    return {name: [plain(reason) for reason in w.reasons] for name, w in words.items() if w is not None}


def write_table(out: Path, grades: Sequence[StudentGrade], assignment: Assignment, lang: Language) -> None:
    """OUT/grades.csv. Raises StoreError."""
    say = texts(lang, assignment)

    def problems(one: StudentGrade) -> str:
        return " ".join(plain(problem(p, say)) for p in one.problems)

    def flags(one: StudentGrade) -> str:
        found = to_look_at(one.result.flags) if one.result is not None else []
        more = f" (+{len(found) - FLAGS})" if found[FLAGS:] else ""
        return " ".join(plain(flag_for_instructor(f, say)) for f in found[:FLAGS]) + more

    write_text(out / "grades.csv", grades_csv(grades, assignment, problems, flags))
