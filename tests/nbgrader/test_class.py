"""Ten notebooks graded by nbgrader itself and in the sandbox: the same points, many times faster."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from pathlib import Path

import pytest

from autograder.assignment import load_assignment
from autograder.batch.job import Setting
from autograder.batch.rows import Row, not_judged
from autograder.batch.run import Class
from autograder.gradebook.grades import class_grades
from autograder.gradebook.record import Late
from autograder.intake import Submission
from autograder.nbgrader.bridge import Bridge
from autograder.nbgrader.command import nbgrader
from autograder.nbgrader.course_folder import CourseFolder
from autograder.results import SubmissionResult
from tests.gradebook.test_grades import change
from tests.nbgrader.conftest import FEW, NAME, Graded, timed
from tests.nbgrader.handed_in import ROOT, released

pytestmark = pytest.mark.slow
FILES_ONLY = "joão da silva"  # no notebook, a space, an accent
WORDS = "We talked about this on Tuesday."


def cells(path: Path) -> list[tuple[object, ...]]:
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [(c["cell_type"], "".join(c["source"]), c["metadata"]) for c in found]


def test_students_get_what_nbgrader_releases(handed_in: Path) -> None:
    release = cells(handed_in / "release" / NAME / f"{NAME}.ipynb")
    ours = cells(ROOT / "exercises" / f"{NAME}.ipynb")
    # quickstart's configuration puts a header of its own in front
    assert release[-len(ours) :] == ours


def test_the_same_points_cell_by_cell(autograded: Graded, sandboxed: Graded) -> None:
    theirs, ours = autograded.scores(), sandboxed.scores()
    assert len(ours) == 10
    assert {student: ours[student] for student in FEW} == theirs


@pytest.mark.endurance
def test_the_same_points_for_all_ten(all_autograded: Graded, sandboxed: Graded) -> None:
    assert sandboxed.scores() == all_autograded.scores()


def test_the_points_are_spread(sandboxed: Graded) -> None:
    totals = {student: sum(p or 0 for p in points.values()) for student, points in sandboxed.scores().items()}
    assert [totals[s] for s in ("ana", "bruno", "julia", "igor")] == [100, 100, 100, 0]
    assert all(0 < totals[s] < 100 for s in ("carla", "davi", "elisa", "fabio", "gil", "helena"))


@pytest.mark.endurance
def test_faster_than_nbgrader(all_autograded: Graded, sandboxed: Graded) -> None:
    ratio = all_autograded.wall / sandboxed.wall
    print(
        f"\nnbgrader {all_autograded.wall:.1f} s, sandbox {sandboxed.wall:.1f} s: {ratio:.1f} times as fast"
    )
    assert ratio > 2  # two idle cores: see the printed line; half of a busy machine is somebody else's


def test_nobody_reads_of_what_goes_on_inside(sandboxed: Graded) -> None:
    assert "Warning" not in sandboxed.said
    assert "site-packages" not in sandboxed.said


def test_each_student_has_the_kits_page(sandboxed: Graded) -> None:
    for student in sandboxed.scores():
        page = (sandboxed.root / "feedback" / student / NAME / f"{NAME}.html").read_text(encoding="utf-8")
        own = sandboxed.root / "sandbox" / NAME / student / "feedback.html"
        assert page == own.read_text(encoding="utf-8")


def test_nbgrader_goes_on_with_what_the_sandbox_wrote(copy_of: Graded) -> None:
    nbgrader("export", cwd=copy_of.root)
    lines = (copy_of.root / "grades.csv").read_text(encoding="utf-8").splitlines()
    header = lines[0].split(",")
    rows = [dict(zip(header, line.split(","), strict=True)) for line in lines[1:]]
    scores = {r["student_id"]: float(r["score"]) for r in rows if r["assignment"] == NAME}
    assert scores["ana"] == 100
    assert scores["igor"] == 0
    nbgrader("generate_feedback", NAME, "--force", "--student=carla", cwd=copy_of.root)
    page = (copy_of.root / "feedback" / "carla" / NAME / f"{NAME}.html").read_text(encoding="utf-8")
    assert "Split into heads: 0 of 12 points" in page


def test_what_nbgrader_writes_for_a_student_shows_no_hidden_test(autograded: Graded) -> None:
    nbgrader("generate_feedback", NAME, "--student=carla", cwd=autograded.root)
    page = (autograded.root / "feedback" / "carla" / NAME / f"{NAME}.html").read_text(encoding="utf-8")
    hidden = (ROOT / "autograder" / "chapter04" / "hidden" / "test_heads.py").read_text(encoding="utf-8")
    names = [line[4:].split("(")[0] for line in hidden.splitlines() if line.startswith("def test_")]
    assert len(names) > 5
    public = "".join("".join(c["source"]) for c in released()["cells"])  # some have the same name
    assert [n for n in names if n in page and n not in public] == []


def test_validate_tells_students_what_is_not_right(handed_in: Path, tmp_path: Path) -> None:
    notebook = tmp_path / "carla.ipynb"
    notebook.write_bytes((handed_in / "submitted" / "carla" / NAME / f"{NAME}.ipynb").read_bytes())
    said = nbgrader("validate", notebook.name, cwd=tmp_path)
    assert "VALIDATION FAILED" in said
    assert "each head reads its own slice of every token" in said


def results_of(course: Graded) -> list[SubmissionResult]:
    paths = (course.root / "sandbox" / NAME).glob("*/result.json")
    return [SubmissionResult.model_validate_json(p.read_text("utf-8")) for p in paths]


def write_again(course: Graded, rows: list[Row] | None = None) -> dict[str, Late]:
    """What `grade` does after judging, with the results that are there. Gives what nbgrader says of late work."""
    bridge = Bridge(CourseFolder(course.root), NAME, load_assignment(), "en")
    graded = Class([Row(r.student, r) for r in results_of(course)] if rows is None else rows)
    late = bridge.lateness(graded)
    said = bridge.write(graded, course.root / "sandbox" / NAME)
    return {
        name: Late(seconds=late[name], penalty=one.penalty, points=one.points) for name, one in said.items()
    }


def test_writing_again_changes_nothing(copy_of: Graded) -> None:
    def rows() -> list[object]:
        with sqlite3.connect(copy_of.root / "gradebook.db") as db:
            grades = db.execute("select * from grade order by id").fetchall()
            comments = db.execute("select * from comment order by id").fetchall()
            submissions = db.execute("select * from submitted_assignment order by id").fetchall()
        return [grades, comments, submissions]

    before = rows()
    write_again(copy_of)
    assert rows() == before


def test_no_grade_is_no_points_and_no_zero(handed_in: Path, sandboxed: Graded, tmp_path: Path) -> None:
    """One whose judging failed through us, one whose turn had not come: nbgrader must not show 100, nor 0."""
    from nbgrader.api import Gradebook

    course = load_assignment()
    fresh = Graded(Path(shutil.copytree(handed_in, tmp_path / "course")), 0)
    results = {r.student: r for r in results_of(sandboxed)}
    setting = Setting(assignment=course, hidden="")
    ours = not_judged(Submission("carla", {}), setting, "the judge process ended", "strong")
    assert ours.score == 100  # no point is taken off, but none was earned either
    rows = [Row("ana", results["ana"]), Row("carla", ours), Row("davi", None)]
    write_again(fresh, rows + [Row(s, None) for s in results if s not in ("ana", "carla", "davi")])
    with Gradebook(fresh.db_url, "course") as book:
        assert {s.student.id for s in book.assignment_submissions(NAME)} == {"ana", "carla"}
        grades = book.find_submission_notebook(NAME, NAME, "carla").grades
        assert {(g.auto_score, g.needs_manual_grade) for g in grades} == {(None, True)}
        said = [c.auto_comment or "" for c in book.find_submission_notebook(NAME, NAME, "carla").comments]
        assert not any(f"of {e.points:g} points" in text for text in said for e in course.exercises)
        assert any("the judge process ended" in text for text in said)
        assert book.find_submission(NAME, "ana").score == 100


def test_what_is_not_written_is_not_called_wrong(sandboxed: Graded) -> None:
    from nbgrader.api import Gradebook

    with Gradebook(sandboxed.db_url, "course") as book:
        said = book.find_comment("merge_heads", NAME, NAME, "igor").auto_comment
    assert said == "Merge the heads: 0 of 8 points. This is not written yet."


def test_what_a_person_has_set_stays(copy_of: Graded) -> None:
    from nbgrader.api import Gradebook

    with Gradebook(copy_of.db_url, "course") as book:
        grade = book.find_grade("test-split_heads", NAME, NAME, "carla")
        grade.manual_score, grade.extra_credit, grade.needs_manual_grade = 7.5, 1.0, False
        book.find_comment("split_heads", NAME, NAME, "carla").manual_comment = "We talked about it."
        other = book.find_grade("test-merge_heads", NAME, NAME, "carla")
        other.auto_score, other.manual_score, other.needs_manual_grade = 3.0, 5.0, False
        book.db.commit()
    said = write_again(copy_of)
    assert said["carla"].points == {"split_heads": 8.5, "merge_heads": 5.0}
    assert said["ana"].points == {}
    with Gradebook(copy_of.db_url, "course") as book:
        grade = book.find_grade("test-split_heads", NAME, NAME, "carla")
        assert (grade.score, grade.auto_score, grade.needs_manual_grade) == (8.5, 0.0, False)
        assert book.find_comment("split_heads", NAME, NAME, "carla").comment == "We talked about it."
        other = book.find_grade("test-merge_heads", NAME, NAME, "carla")
        assert (other.score, other.auto_score) == (5.0, 8.0)
        assert other.needs_manual_grade  # the machine's points have changed since: that person should look


def test_late_work_and_the_courses_own_penalty(copy_of: Graded) -> None:
    from nbgrader.api import Gradebook

    config = copy_of.root / "nbgrader_config.py"
    text = config.read_text(encoding="utf-8") + "\nc.LateSubmissionPlugin.penalty_method = 'zero'\n"
    config.write_text(text, encoding="utf-8")
    with Gradebook(copy_of.db_url, "course") as book:
        book.update_or_create_assignment(NAME, duedate="2025-05-01 10:00:00 UTC")
    late = write_again(copy_of)
    with Gradebook(copy_of.db_url, "course") as book:
        submission = book.find_submission(NAME, "ana")
        assert submission.total_seconds_late == 24 * 60 * 60
        assert submission.late_submission_penalty == 100
    assert {one.seconds for one in late.values()} == {24 * 60 * 60}
    change(copy_of.root / "sandbox" / NAME, late=late)
    for one in class_grades(copy_of.root / "sandbox" / NAME, load_assignment()):
        assert one.grade is not None
        assert (one.grade.late_days, one.grade.final) == (1, 0), "as nbgrader takes it off, once"
        assert one.grade.penalty == late[one.name].penalty


def test_another_database(copy_of: Graded, tmp_path: Path) -> None:
    (copy_of.root / "gradebook.db").rename(tmp_path / "elsewhere.db")
    config = copy_of.root / "nbgrader_config.py"
    url = f"sqlite:///{tmp_path / 'elsewhere.db'}"
    config.write_text(f"{config.read_text(encoding='utf-8')}\nc.CourseDirectory.db_url = {url!r}\n")
    write_again(copy_of)
    assert not (copy_of.root / "gradebook.db").exists()


def test_points_add_up_to_the_courses(sandboxed: Graded) -> None:
    from nbgrader.api import Gradebook

    course = load_assignment()
    with Gradebook(sandboxed.db_url, "course") as book:
        points = {c.name: c.max_score for c in book.find_notebook(NAME, NAME).grade_cells}
    assert points == {f"test-{e.id}": e.points for e in course.exercises}


def grade(course: Graded) -> str:
    command = [sys.executable, "-m", "autograder.cli", "grade", "--nbgrader", str(course.root), "--no-timing"]
    return timed(command, ROOT)[1]


def page(course: Graded, student: str) -> str:
    return (course.root / "feedback" / student / NAME / f"{NAME}.html").read_text(encoding="utf-8")


def test_nbgraders_commands_go_on_and_a_persons_words_stay(copy_of: Graded) -> None:
    from nbgrader.api import Gradebook

    exchange = copy_of.root.parent / "exchange"
    exchange.mkdir(mode=0o777)
    config = copy_of.root / "nbgrader_config.py"
    config.write_text(
        f"{config.read_text(encoding='utf-8')}\nc.Exchange.root = {str(exchange)!r}\n"
        "c.CourseDirectory.course_id = 'course'\n",
        encoding="utf-8",
    )
    submitted = copy_of.root / "submitted"
    carla, new = submitted / "carla" / NAME, submitted / FILES_ONLY / NAME
    (carla / "data" / "more").mkdir(parents=True)
    (carla / "data" / "more" / "table.csv").write_text("1,2")
    new.mkdir(parents=True)
    (new / "heads.py").write_bytes((ROOT / "solutions" / "heads.py").read_bytes())
    (new / "submission_secret.txt").write_text("another secret")
    (new / "timestamp.txt").write_text("2025-05-02 11:00:00 UTC")

    with Gradebook(copy_of.db_url, "course") as book:
        book.find_comment("split_heads", NAME, NAME, "carla").manual_comment = WORDS
        book.find_grade("test-split_heads", NAME, NAME, "carla").manual_score = 7.5
        book.db.commit()
    nbgrader("generate_feedback", NAME, "--force", "--student=carla", cwd=copy_of.root)
    assert WORDS in page(copy_of, "carla")
    said = grade(copy_of)
    assert WORDS in page(copy_of, "carla")
    assert "1 of these pages (carla)" in " ".join(said.split())
    with Gradebook(copy_of.db_url, "course") as book:
        assert book.find_comment("split_heads", NAME, NAME, "carla").manual_comment == WORDS
        assert book.find_grade("test-split_heads", NAME, NAME, "carla").score == 7.5
        assert book.find_submission(NAME, FILES_ONLY).score == 20
    assert (copy_of.root / "autograded" / "carla" / NAME / "data" / "more" / "table.csv").read_text() == "1,2"

    nbgrader("release_feedback", NAME, cwd=copy_of.root)
    assert len(list((exchange / "course" / "feedback").glob("*.html"))) == 11
    nbgrader("generate_feedback", NAME, "--force", f"--student={FILES_ONLY}", cwd=copy_of.root)
    assert "Split into heads: 12 of 12 points" in page(copy_of, FILES_ONLY)
    nbgrader("release_feedback", NAME, f"--student={FILES_ONLY}", cwd=copy_of.root)
    nbgrader("export", cwd=copy_of.root)
    assert FILES_ONLY in (copy_of.root / "grades.csv").read_text(encoding="utf-8")

    # Handed in again: the page is about other work now.
    (carla / "timestamp.txt").write_text("2025-05-09 10:00:00 UTC")
    grade(copy_of)
    assert WORDS not in page(copy_of, "carla")
