"""How fast the kit grades here. Seconds depend on the machine; ratios of one run can be compared."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from autograder.assignment import Assignment
from autograder.batch.job import Job, Setting
from autograder.batch.judges import Judges
from autograder.batch.pool import cores, local
from autograder.checks.runner import run
from autograder.diagnosis.entries import catalogue
from autograder.diagnosis.mutants import plant
from autograder.grading.judge import judge
from autograder.identity import kit_of
from autograder.intake import Submission
from autograder.nbgrader.build.notebook import build
from autograder.nbgrader.command import nbgrader
from autograder.sandbox import LocalStudent, Sandbox, reference_files

REPEAT = 3
CLASS = 100
NOTEBOOKS = 3  # of the comparison with nbgrader


@dataclass(frozen=True)
class Took:
    """Seconds by the clock on the wall, and of CPU: of this process and of all that it started."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Measured:
    """One line of what was measured. id: "bench.<id>" is its name in words.

    value: seconds, or submissions a minute; cpu: seconds of CPU, where they are known; ratio: of `value` to that
    of the line `to`.
    """

    id: str
    value: float
    cpu: float | None = None
    ratio: float | None = None
    to: str = ""


def grading(assignment: Assignment, course: Path | None) -> Iterator[Measured]:
    """One submission, many, and a class. course: the course.toml, where it is not the kit's.
    Raises NoIsolation, GraderFault.
    """
    files = reference_files(assignment)
    right = Submission("bench", files)
    with Sandbox(assignment) as sandbox:
        judge(right, assignment, sandbox)  # warm
        whole = _best(lambda: judge(right, assignment, sandbox))
        plain = _best(lambda: judge(right, assignment, sandbox, timing=False))
        wrong = statistics.median(
            _once(partial(judge, one, assignment, sandbox, timing=False)).wall
            for one in _wrong_ones(assignment)
        )
    trusted = LocalStudent(assignment)
    alone = _best(lambda: run(assignment, trusted, lambda: trusted, timing=False))
    yield Measured("right", whole)
    yield Measured("without_timing", plain)
    yield Measured("unprotected", alone)
    yield Measured("sandbox", plain, None, plain / alone, "unprotected")
    yield Measured("wrong", wrong, None, wrong / plain, "without_timing")
    anew = _once(lambda: _pytest(assignment))
    yield Measured("pytest_anew", anew.wall, anew.cpu, anew.wall / plain, "without_timing")
    one, all_of_them = (_a_minute(assignment, right, jobs) for jobs in (1, cores()))
    yield Measured("a_minute", one)
    yield Measured("a_minute_all", all_of_them, None, all_of_them / one, "a_minute")
    with tempfile.TemporaryDirectory() as place:
        first, took = _class(assignment, course, Path(place))
    yield Measured("first_result", first)
    yield Measured("class", took.wall, took.cpu)


def beside_nbgrader(assignment: Assignment, course: Path | None) -> Iterator[Measured]:
    """The same notebooks by `nbgrader autograde` and by this kit. Raises NbgraderFailed."""
    name = assignment.content.notebook
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve() / "course"
        nbgrader("quickstart", "course", cwd=root.parent)
        source = root / "source" / name / assignment.notebook
        source.parent.mkdir()
        source.write_text(build(assignment, assignment.language(None)), encoding="utf-8")
        nbgrader("generate_assignment", name, cwd=root)
        released = root / "release" / name / assignment.notebook
        done = _done(released.read_text(encoding="utf-8"), source.read_text(encoding="utf-8"))
        for i in range(NOTEBOOKS):
            path = root / "submitted" / f"student{i}" / name / assignment.notebook
            path.parent.mkdir(parents=True)
            path.write_text(done, encoding="utf-8")
        shutil.copytree(root, root.parent / "theirs")
        ours = _once(lambda: _run([*_grade(course), "--nbgrader", str(root)], root))
        theirs = _once(lambda: nbgrader("autograde", name, cwd=root.parent / "theirs"))
    yield Measured("notebooks", ours.wall / NOTEBOOKS, ours.cpu / NOTEBOOKS)
    yield Measured(
        "nbgrader", theirs.wall / NOTEBOOKS, theirs.cpu / NOTEBOOKS, theirs.wall / ours.wall, "notebooks"
    )


def for_students(assignment: Assignment) -> Iterator[Measured]:
    """What a student waits for who runs `pytest exercises/` on untouched stubs."""
    command = [sys.executable, "-m", "pytest", assignment.content.exercises, "-pno:cacheprovider"]
    began = time.perf_counter()
    with subprocess.Popen(command, cwd=assignment.root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        first = time.perf_counter() - began
        process.stdout.read()
    whole = time.perf_counter() - began
    yield Measured("students_first", first)
    yield Measured("students_all", whole)


def _wrong_ones(assignment: Assignment) -> list[Submission]:
    """One known mistake in each exercise that has one, everything else right."""
    found: dict[str, Submission] = {}
    files = reference_files(assignment)
    for entry in catalogue(assignment).values():
        for planted in plant(entry, assignment):
            wrong = {**files, planted.file: planted.source.encode()}
            found.setdefault(planted.exercise, Submission(planted.mistake, wrong))
    return list(found.values())


def _a_minute(assignment: Assignment, submission: Submission, jobs: int) -> float:
    """Right submissions a minute, so many at a time (the start of judges is not counted)."""
    setting = Setting(assignment=assignment, timing=False, hidden=kit_of({}, assignment).hashes["hidden"])
    job = Job.of(submission, setting)
    with local(jobs, Judges()) as submit:
        wait([submit(job) for _ in range(jobs)])
        n = 10 * jobs
        took = _once(lambda: wait([submit(job) for _ in range(n)]))
    return 60 * n / took.wall


def _class(assignment: Assignment, course: Path | None, place: Path) -> tuple[float, Took]:
    """(seconds to the first result, what all of it took) of `autograder grade` on the sample class, as often as
    it takes to have so many; of right work where a chapter has no such class."""
    sample = assignment.chapter_folder / "sample_class"
    students = sorted(path for path in sample.iterdir()) if sample.is_dir() else [assignment.solutions_folder]
    for i in range(CLASS):
        one = students[i % len(students)]
        target = place / "class" / f"{i:03}-{one.name}"
        if one.is_dir():
            shutil.copytree(one, target)
        else:
            target.parent.mkdir(exist_ok=True)
            shutil.copy(one, target)
    command = [*_grade(course), str(place / "class"), "--out", str(place / "out")]
    first: list[float] = []

    def grade() -> None:
        began = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None:
                if not first and next((place / "out").glob("*/result.json"), None):
                    first.append(time.perf_counter() - began)
                time.sleep(0.02)

    took = _once(grade)
    return (first or [took.wall])[0], took


def _done(released: str, source: str) -> str:
    """The students' notebook with the solutions in its cells."""
    solved = {
        cell["id"]: cell["source"]
        for cell in json.loads(source)["cells"]
        if cell["metadata"].get("nbgrader", {}).get("solution")
    }
    notebook = json.loads(released)
    for cell in notebook["cells"]:
        cell["source"] = solved.get(cell["id"], cell["source"])
    return json.dumps(notebook)


def _best(work: Callable[[], object]) -> float:
    return min(_once(work).wall for _ in range(REPEAT))


def _once(work: Callable[[], object]) -> Took:
    began, cpu = time.perf_counter(), _cpu()
    work()
    return Took(time.perf_counter() - began, _cpu() - cpu)


def _cpu() -> float:
    """Of this process, and of those below it that have ended."""
    import resource  # not on Windows, where nothing is isolated and so nothing measured

    below = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + below.ru_utime + below.ru_stime


def _pytest(assignment: Assignment) -> None:
    folder = assignment.content.exercises
    _run(
        [sys.executable, "-m", "pytest", folder, "--code=solutions", "-q", "-pno:cacheprovider"],
        assignment.root,
    )


def _grade(course: Path | None) -> list[str]:
    command = [sys.executable, "-m", "autograder", "grade"]
    return [*command, "--course", str(course.resolve())] if course else command


def _run(command: list[str], cwd: Path) -> None:
    subprocess.run(command, cwd=cwd, capture_output=True, check=False, env=dict(os.environ))
