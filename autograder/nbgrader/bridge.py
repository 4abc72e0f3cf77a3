"""`autograder grade --nbgrader COURSE`: an nbgrader course graded in the sandbox, its gradebook filled in."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.assignment import Assignment
from autograder.batch.run import Class
from autograder.course import Language
from autograder.extract.reading import Cell
from autograder.feedback.catalogue import mistake_texts
from autograder.feedback.causes import status
from autograder.feedback.mistake_texts import told
from autograder.feedback.rich import plain
from autograder.feedback.texts import Texts
from autograder.feedback.wording import concept, problem
from autograder.intake import Incoming, Submission
from autograder.intake.read import read
from autograder.nbgrader.course_folder import CourseFolder
from autograder.nbgrader.files import copy_all, copy_stamps, is_newer, write_unless_changed
from autograder.results import SubmissionResult
from autograder.store import Store, write_text

if TYPE_CHECKING:
    from autograder.nbgrader.gradebook import Book, Said


class Bridge:
    """One assignment of one course."""

    def __init__(self, folder: CourseFolder, assignment: str, course: Assignment, lang: Language) -> None:
        self.folder, self.assignment, self.course, self.lang = folder, assignment, course, lang
        self.say = Texts(course, lang)
        self.kept: list[str] = []  # students whose page is not ours any more, and was left as it is
        folder.check_gradebook(assignment)
        # Whether the gradebook can take the grades is found out while the judges start.
        self._checked = _in_background(self._check)

    def _check(self) -> None:
        with self._book():
            pass

    def _book(self) -> Book:
        from autograder.nbgrader.gradebook import Book

        return Book(self.folder, self.assignment, self.course)

    def submissions(self) -> list[Incoming]:
        """Who handed in what. Raises CourseFolderError."""
        return self.folder.submitted(self.assignment)

    def check_so_far(self) -> None:
        """Raises CourseFolderError when the gradebook has turned out to be unable to take the grades."""
        if self._checked.done():
            self._checked.result()

    def lateness(self, graded: Class) -> dict[str, float | None]:
        """Student -> seconds late (None: not known). Enters students and hand-in times in the gradebook.

        Only of those who have a result: to nbgrader, who is entered has been graded.
        """
        self._checked.result()
        there = {row.student for row in graded.rows if row.result is not None}
        with self._book() as book:
            return {
                one.student: book.late_seconds(self.id_of(one), self.folder.timestamp(one.path))
                for one in self.folder.submitted(self.assignment)
                if one.student in there
            }

    def write(self, graded: Class, out: Path) -> dict[str, Said]:
        """Gradebook, autograded/ and feedback/ of all who have a result. `out`: where the pages are.

        Gives what nbgrader, and people in it, say: student -> penalty and points.
        """
        said: dict[str, Said] = {}
        found = self.folder.submitted(self.assignment)
        self.kept = []
        store = Store(out, [one.student for one in found])
        rows = {row.student: row for row in graded.rows}
        from autograder.nbgrader.autograded import autograded

        with self._book() as book:
            source_cells = book.cells()
            for one in found:
                result = rows[one.student].result
                if result is None:
                    continue
                if not result.graded:  # its tests say only that we failed
                    result = result.model_copy(update={"tests": []})
                said[one.student] = book.write(self.id_of(one), result, self.comments(result))
                submission = graded.submissions.get(one.student) or read(one, self.course)
                notebook = autograded(cells_of(submission), source_cells, result, self.course)
                self._put_notebook(one, notebook)
                self._put_page(one, _read(store.folder(one.student) / "feedback.html"))
        return said

    def written(self) -> dict[str, str | Path]:
        """What `write` leaves in nbgrader's course, for people: what -> where."""
        say = self.say
        book = self.folder.gradebook_file or say("screen.database")
        pages = (
            self.folder.folder("feedback", "<name>", self.assignment) / f"{self.course.content.notebook}.html"
        )
        said = {say("screen.gradebook"): book, say("screen.hand_back"): pages}
        if self.kept:
            names = ", ".join(self.kept[:8]) + (" …" if len(self.kept) > 8 else "")
            said[say("screen.kept")] = say(
                "screen.kept_pages", n=len(self.kept), names=names, assignment=self.assignment
            )
        return said

    def id_of(self, one: Incoming) -> str:
        """The student's name in nbgrader: that of the folder."""
        pattern = self.folder.folder("submitted", "*", self.assignment)
        return one.path.parts[pattern.parts.index("*")]

    def _put_notebook(self, one: Incoming, notebook: str) -> None:
        """autograded/: the notebook that formgrader shows, and all that was handed in beside it."""
        folder = self.folder.folder("autograded", self.id_of(one), self.assignment)
        write_text(folder / self.course.notebook, notebook)
        copy_all(one.path, folder, self.folder.ignored)
        copy_stamps(one.path, folder)

    def _put_page(self, one: Incoming, page: str) -> None:
        """feedback/: the page to hand back, unless a person's words are in the one that is there."""
        if not page:
            return
        folder = self.folder.folder("feedback", self.id_of(one), self.assignment)
        newer = is_newer(self.folder.timestamp(one.path), self.folder.timestamp(folder))
        if write_unless_changed(folder / f"{self.course.content.notebook}.html", page, newer=newer):
            copy_stamps(one.path, folder)
        else:
            self.kept.append(one.student)

    def comments(self, result: SubmissionResult) -> dict[str, str]:
        """Solution cell -> what is to be said about it."""
        said = dict.fromkeys(self.course.symbols, "")
        for exercise in self.course.exercises:  # one without a cell of its own: beside the last that it uses
            beside = (self.course.own_symbols(exercise.id) or exercise.symbols)[-1]
            said[beside] = f"{said[beside]}\n\n{self._comment(exercise.id, result)}".strip()
        reasons = " ".join(plain(problem(p, self.say)) for p in result.problems)
        first = next(iter(said))
        if reasons:
            said[first] = f"{reasons}\n\n{said[first]}".strip()
        return said

    def _comment(self, exercise: str, result: SubmissionResult) -> str:
        tests = [t for t in result.tests if t.exercise == exercise]
        if not tests:
            return ""
        title = self.course[exercise].title[self.lang]
        got, most = sum(t.points for t in tests), sum(t.max_points for t in tests)
        lines = [self.say("gradebook.points", title=title, got=f"{got:g}", most=f"{most:g}")]
        if (state := status(tests, self.course)) in ("not_written", "waiting"):
            return f"{lines[0]} {self.say(f'gradebook.{state}')}"
        missed = [plain(concept(t, self.say)) for t in tests if t.points < t.max_points]
        credited = [t for t in tests if t.follow_through]
        if missed:
            lines.append(self.say("gradebook.missed", what="; ".join(missed)))
        names = dict.fromkeys(m for t in tests if t.points < t.max_points for m in t.mistakes)
        told_of = [mistake_texts(m, self.say) for m in names]
        known = [plain(told(text, {}, self.say).name) for text in told_of if text]
        if known:
            lines.append(self.say("gradebook.mistake", what="; ".join(known)))
        if credited:
            lines.append(self.say("gradebook.credited"))
        return "\n".join(lines)


def _in_background(work: Callable[[], None]) -> Future[None]:
    """Runs it beside everything else; does not keep the program from ending."""
    done: Future[None] = Future()

    def run() -> None:
        try:
            work()
            done.set_result(None)
        except BaseException as e:  # for whoever asks for the result
            done.set_exception(e)

    threading.Thread(target=run, daemon=True).start()
    return done


def cells_of(submission: Submission) -> list[Cell]:
    """The cells of what a student handed in; of plain files one cell each."""
    plain_files = [Cell("code", data.decode("utf-8", "replace"), "") for data in submission.files.values()]
    return list(submission.cells) or plain_files


def _read(path: Path) -> str:
    with contextlib.suppress(OSError):
        return path.read_text(encoding="utf-8")
    return ""
