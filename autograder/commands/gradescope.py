"""autograder gradescope-run: one submission, graded inside Gradescope's container, as its results.json."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from autograder.assignment import Assignment, load_assignment
from autograder.batch.run import NotIsolated, Options, grade_class
from autograder.commands.errors import errors_in_words
from autograder.commands.options import Lang
from autograder.commands.screen import Screen, console
from autograder.feedback.catalogue import mistake_texts
from autograder.feedback.fallback import pages_of
from autograder.feedback.grade_words import grade_words
from autograder.feedback.rich import plain
from autograder.feedback.student_view import Part, student_view
from autograder.feedback.texts import Texts, texts
from autograder.gradebook.policy import Grade, final_grade
from autograder.gradebook.students import Student
from autograder.intake import Incoming
from autograder.results import Problem, SubmissionResult
from autograder.store import write_text

ROOT = Path(os.environ.get("AUTOGRADER_ROOT", "/autograder"))
LARGEST = 1 << 20  # bytes of submission_metadata.json
# Everything is visible: one hidden test would hide the student's total.
SHOWN = {"visibility": "visible", "stdout_visibility": "hidden", "output_format": "md"}


def gradescope_run(
    course: Annotated[Path | None, typer.Option(help="The assignment's course.toml.")] = None,
    root: Annotated[Path, typer.Option(help="Gradescope's folder.")] = ROOT,
    lang: Lang = None,
) -> None:
    """Grade what Gradescope has put into its folder (for run_autograder)."""
    with errors_in_words():
        assignment = load_assignment(course)
        say = texts(assignment.language(lang), assignment)
        student = submitter(root / "submission_metadata.json")
        try:
            result = graded(assignment, root / "submission", say)
        except NotIsolated:
            found = {**SHOWN, "score": 0.0, "output": say("gradescope.not_isolated"), "tests": []}
        else:
            if not result.graded and ours(result):
                # Without results.json Gradescope says that its autograder failed: nobody gets a zero for that.
                typer.echo(say("gradescope.fault"))
                raise typer.Exit(1)
            found = results_json(result.model_copy(update={"student": student.name}), student, say)
        write_text(root / "results" / "results.json", json.dumps(found, indent=1, ensure_ascii=False))


def graded(assignment: Assignment, submission: Path, say: Texts) -> SubmissionResult:
    """The result of one folder. Raises NotIsolated, IntakeError, StoreError, PoolError."""
    found = (Incoming("submission", submission, "folder"),)
    with tempfile.TemporaryDirectory() as place:
        options = Options(submissions=submission, out=Path(place), assignment=assignment, jobs=1, found=found)
        with Screen(console(), 1, say) as listener:
            row = grade_class(options, listener).rows[0]
    return row.result or SubmissionResult.nothing("submission").model_copy(
        update={"problems": [Problem(id="problem.grader.died", params={"why": "no result"})]}
    )


def ours(result: SubmissionResult) -> bool:
    """Whether it is the grader's fault that there is no grade."""
    return bool(result.tests) or any(p.id.startswith(("grader.", "problem.grader.")) for p in result.problems)


def submitter(path: Path) -> Student:
    """Who handed in and when, by submission_metadata.json; never by the clock, or a new run would change it."""
    told = metadata(path)
    users = told.get("users")
    people = [user for user in users if isinstance(user, dict)] if isinstance(users, list) else []
    names = ", ".join(str(user.get("name") or user.get("email") or "") for user in people)
    at = told.get("created_at")
    return Student("submission", names[:200] or "submission", submitted_at=at if isinstance(at, str) else "")


def metadata(path: Path) -> dict[str, Any]:
    """submission_metadata.json; {} when there is none that can be read."""
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def results_json(result: SubmissionResult, student: Student, say: Texts) -> dict[str, Any]:
    """What Gradescope shows: the page, and each exercise with what is right and wrong of it."""
    grade = final_grade(result, student, say.assignment)
    words = grade_words(grade, say)
    view = student_view(result, say, mistake_texts)
    return {
        **SHOWN,
        "score": float(grade.final),
        "output": pages_of(result, say.assignment, say.lang, grade)[1],
        "execution_time": round(sum(t.seconds for t in result.tests), 2),
        "tests": [exercise(part, grade, say) for part in view.parts],
        "extra_data": {
            "why": [plain(reason) for reason in words.reasons] if words else [],
            "isolation": result.isolation,
            "kit": result.kit.version,
        },
    }


def exercise(part: Part, grade: Grade, say: Texts) -> dict[str, Any]:
    """One exercise. Its words are the page's, which hold no value of a hidden test."""
    got = float(grade.exercises[part.id])
    lines = [f"- ✓ {plain(check.concept)}" for check in part.right]
    lines += [f"- ✗ {plain(block.title)}" for block in part.blocks]
    return {
        "name": part.title,
        "score": got,
        "max_score": part.max_points,
        "status": "passed" if got >= part.max_points else "failed",
        "output": "\n".join([say(f"status.{part.status}"), "", *lines]),
        "output_format": "md",
        "visibility": "visible",
    }
