"""The last lines of a run: what is not graded, whom a person must look at, and where all of it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from autograder.batch.rows import WAITING
from autograder.batch.run import Class, Options
from autograder.feedback.rich import Rich, plain
from autograder.feedback.safe import visible
from autograder.feedback.texts import Texts
from autograder.feedback.wording import flag_for_instructor, problem
from autograder.gradebook.grades import ClassFiles, StudentGrade
from autograder.gradebook.look import how_serious, to_look_at
from autograder.gradebook.tables import same_text

LOOK_AT = 12  # lines on students at the end; all are on the class page
NAMES = 8
NO_TIME = "grade.no_time"


def show_end(
    out: Console,
    graded: Class,
    options: Options,
    grades: Sequence[StudentGrade],
    files: ClassFiles,
    say: Texts,
) -> None:
    """How a run ended, in the order of what a person has to do about it."""
    for worker, why in graded.left_out.items():
        out.print(Text(say("screen.left_out", worker=worker, why=why), style="yellow"))
    if graded.broken:
        out.print(Text(say("screen.broken_off", why=graded.broken), style="red"))
        out.print(Text(say("screen.doctor")))
    if graded.interrupted:
        out.print(Text(say("screen.stopped"), style="yellow"))
    rows = graded.asked_for(options)
    if waiting := [row.student for row in rows if row.waiting]:
        out.print(Text(say("screen.not_yet", n=len(waiting), names=names(waiting)), style="yellow"))
    if without := [row.student for row in rows if not row.graded and not row.waiting]:
        out.print(Text(say("screen.without", n=len(without), names=names(without)), style="red"))
    found = {row.student for row in graded.rows}
    absent = [one.name for one in grades if one.result is None and one.name not in found and not one.decided]
    if absent and not options.only:
        out.print(Text(say("screen.absent", n=len(absent), names=names(absent))))
    if not graded.broken:
        asked = [one for one in grades if not options.only or one.name in options.only]
        show_to_look_at(out, asked, say)
        show_untimed(out, asked, say)
    show_unknown(out, files, grades, say)
    line(out, say("screen.class_page"), options.out / "class.html")
    line(out, say("screen.grades"), options.out / "grades.csv")
    if any(row.result is not None for row in graded.rows):
        line(out, say("screen.students"), options.out / "<name>" / "feedback.html")


def show_to_look_at(out: Console, grades: Sequence[StudentGrade], say: Texts) -> None:
    """Whom a person must look at, the serious first: the flags, then what else is odd. Of whom the same is to be
    said, that is one line."""
    asked = [(one, told) for one in grades if (told := reasons(one, say))]
    asked.sort(key=lambda pair: how_serious(pair[0].result.flags if pair[0].result else ()))
    if not asked:
        return
    out.print(Text(say("screen.look_at", n=len(asked)), style="yellow"))
    lines: dict[str, list[str]] = {}
    for one, told in asked:
        more = f" (+{len(told) - 1})" if told[1:] else ""
        lines.setdefault(f"{plain(told[0])}{more}", []).append(one.name)
    shown = list(lines.items())[:LOOK_AT]
    for text, people in shown:
        out.print(Text(visible(f"  {names(people)}: {text}")))
    if left := len(asked) - sum(len(people) for _, people in shown):
        out.print(Text(say("screen.look_at_more", n=left)))


def reasons(one: StudentGrade, say: Texts) -> list[Rich]:
    """Why a person must look at somebody who has a grade. Who has decided something has looked."""
    if one.result is None or not one.result.graded:
        return []
    odd = [problem(p, say) for p in one.problems if not p.nothing_handed_in and p.id != WAITING]
    flags = [] if one.decided else to_look_at(one.result.flags)
    return [*(flag_for_instructor(f, say) for f in flags), *odd]


def show_untimed(out: Console, grades: Sequence[StudentGrade], say: Texts) -> None:
    """Of how many nobody knows whether they are late."""
    untimed = [one.name for one in grades if one.grade and any(m.id == NO_TIME for m in one.grade.why)]
    if untimed:
        out.print(Text(say("screen.no_time", n=len(untimed), names=names(untimed)), style="yellow"))


def show_unknown(out: Console, files: ClassFiles, grades: Sequence[StudentGrade], say: Texts) -> None:
    """Whom overrides.csv names although nobody is called so."""
    known = {same_text(one.name) for one in grades}
    if unknown := sorted({o.student for o in files.overrides if same_text(o.student) not in known}):
        out.print(Text(say("screen.unknown_override", names=names(unknown)), style="yellow"))


def show_course(out: Console, course: Path | None, say: Texts) -> None:
    """Which course.toml counts, where a class remembers it."""
    if course is not None:
        out.print(Text(say("screen.course_of_class", course=str(course))), soft_wrap=True)


def show_guessable(out: Console, say: Texts) -> None:
    """A seed that everybody knows."""
    if say.assignment.course.seed.startswith("change me"):
        out.print(Text(say("screen.seed"), style="yellow"))


def line(out: Console, what: str, where: Path | str) -> None:
    """Where something is."""
    out.print(f"{what:<11} {escape(str(where))}", soft_wrap=True)


def names(students: Sequence[str]) -> str:
    """The first of them."""
    return visible(", ".join(students[:NAMES]) + (" …" if len(students) > NAMES else ""))
