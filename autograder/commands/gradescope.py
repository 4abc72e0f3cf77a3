"""autograder gradescope-run: one submission, graded inside Gradescope's container, as its results.json."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from autograder.assignment import Assignment, load_assignment
from autograder.batch.run import Options, grade_class
from autograder.commands.plainly import plainly
from autograder.commands.ready import check_assignment
from autograder.commands.screen import Screen, console
from autograder.feedback.fallback import pages_of
from autograder.feedback.grade_words import grade_words
from autograder.feedback.rich import plain
from autograder.feedback.texts import Texts, texts
from autograder.feedback.wording import concept, message
from autograder.gradebook.policy import Grade, final_grade
from autograder.gradebook.students import Student
from autograder.results import SubmissionResult
from autograder.store import write_text

ROOT = Path(os.environ.get("AUTOGRADER_ROOT", "/autograder"))
LARGEST = 1 << 20  # bytes of submission_metadata.json


def gradescope_run(
    course: Annotated[Path | None, typer.Option(help="The assignment's course.toml.")] = None,
    root: Annotated[Path, typer.Option(help="Gradescope's folder.")] = ROOT,
) -> None:
    """Grade what Gradescope has put into its folder (for run_autograder)."""
    with plainly():
        assignment = load_assignment(course)
        check_assignment(assignment)
        language = assignment.course.language
        told = metadata(root / "submission_metadata.json")
        student = Student(
            "submission", ", ".join(u.get("name", "") for u in told.get("users", [])),
            submitted_at=str(told.get("created_at", "")),
        )  # fmt: skip
        with tempfile.TemporaryDirectory() as place:
            group = Path(place) / "class"
            group.mkdir()
            (group / "submission").symlink_to(root / "submission")
            result = _graded(group, Path(place) / "out", assignment, root / "submission")
        if result is None or not result.graded:
            # Without results.json Gradescope says that its autograder failed, and nobody gets a zero for it.
            typer.echo("This submission could not be graded here. Tell your instructor.")
            raise typer.Exit(1)
        grade = final_grade(result, student, assignment)
        say = Texts(assignment, language)
        write_text(root / "results" / "results.json", json.dumps(results_json(result, grade, say), indent=1))


def _graded(group: Path, out: Path, assignment: Assignment, submission: Path) -> SubmissionResult | None:
    from autograder.intake import Incoming

    found = (Incoming("submission", submission, "folder"),)
    options = Options(submissions=group, out=out, assignment=assignment, jobs=1, found=found)
    with Screen(console(), 1, texts(assignment.course.language, assignment)) as listener:
        graded = grade_class(options, listener)
    return graded.rows[0].result if graded.rows else None


def metadata(path: Path) -> dict[str, Any]:
    """submission_metadata.json; {} when there is none that can be read."""
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def results_json(result: SubmissionResult, grade: Grade, say: Texts) -> dict[str, Any]:
    """What Gradescope shows: the page, and each exercise with what is right and wrong of it."""
    words = grade_words(grade, say)
    page = pages_of(result, say.assignment, say.lang, grade)[1]
    return {
        "score": float(grade.final),
        "output": page,
        "output_format": "md",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "execution_time": round(sum(t.seconds for t in result.tests), 2),
        "tests": [_test(e.id, result, grade, say) for e in say.assignment.exercises],
        "extra_data": {"why": [plain(r) for r in words.reasons] if words else []},
    }


def _test(exercise: str, result: SubmissionResult, grade: Grade, say: Texts) -> dict[str, Any]:
    lines = []
    for test in (t for t in result.tests if t.exercise == exercise):
        mark = "✓" if test.points == test.max_points else "✗"
        why = f": {plain(message(test.message, say))}" if test.message and mark == "✗" else ""
        lines.append(f"{mark} {plain(concept(test, say))}{why}")
    got, most = float(grade.exercises[exercise]), say.assignment[exercise].points
    return {
        "name": say.assignment[exercise].title.get(say.lang, exercise),
        "score": got,
        "max_score": most,
        "status": "passed" if got == most else "failed",
        "output": "\n".join(lines),
        "visibility": "visible",
    }
