"""What the kit promises of itself. Each function returns what is wrong; nothing: it holds.

An exercise that ships already solved, a solution that fails, a sentence that exists in one language only:
such faults are found here, not by the students.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from autograder.assignment import Assignment
from autograder.checks.marks import misfits
from autograder.feedback import texts
from autograder.grading.judge import judge
from autograder.intake import Submission
from autograder.results import SubmissionResult, Verdict
from autograder.sandbox import Sandbox, reference_files

Check = Callable[[Assignment], list[str]]


def points_agree(assignment: Assignment) -> list[str]:
    """Hidden tests are worth what course.toml says."""
    return misfits(assignment)


def stubs_fail(assignment: Assignment) -> list[str]:
    """No hidden test gives a point for what students start with."""
    result = _judged(assignment)["stubs"]
    return [f"{t.id}: passes on the unwritten exercise" for t in result.tests if t.points > 0]


def solutions_pass(assignment: Assignment) -> list[str]:
    """Every hidden test passes on the solutions, by itself."""
    result = _judged(assignment)["solutions"]
    return [
        f"{t.id}: {t.verdict}{' ' + t.message.id if t.message else ''}"
        for t in result.tests
        if t.verdict is not Verdict.PASSED or t.follow_through or t.mistakes
    ]


def public_tests_fail_on_stubs(assignment: Assignment) -> list[str]:
    """`pytest exercises/` passes nothing before the student has written anything."""
    outcomes = _public(assignment)
    return [f"{name}: passes on the unwritten exercise" for name, ok in outcomes.items() if ok] or _some(
        outcomes
    )


def public_tests_pass_on_solutions(assignment: Assignment) -> list[str]:
    """`pytest exercises/ --code solutions` passes everything."""
    outcomes = _public(assignment, assignment.solutions_folder)
    return [f"{name}: fails on the solution" for name, ok in outcomes.items() if not ok] or _some(outcomes)


def messages_complete(assignment: Assignment) -> list[str]:
    """Everything a student may read exists in every language, with the same parameters."""
    from autograder.nbgrader.build import docstrings
    from autograder.release import selfcheck

    return [
        *texts.problems(assignment),
        *docstrings.problems(assignment),
        *selfcheck.problems(assignment),
    ]


def release_is_clean(assignment: Assignment) -> list[str]:
    """What students get is up to date and holds no solution, no hidden test and no known mistake."""
    from autograder.release.contents import contents
    from autograder.release.leaks import leaks
    from autograder.release.secrets import secrets
    from autograder.release.selfcheck import Stale

    try:
        known = secrets(assignment)
        found = [leaks(contents(assignment, lang), known) for lang in assignment.languages]
        return sorted({leak for one in found for leak in one})
    except Stale as e:
        return [str(e)]


CHECKS: Mapping[str, Check] = {
    "Points of the hidden tests are those of course.toml": points_agree,
    "Every stub fails every hidden test": stubs_fail,
    "Every solution passes every hidden test": solutions_pass,
    "What students get gives nothing away": release_is_clean,
    "pytest exercises/ fails on the stubs": public_tests_fail_on_stubs,
    "pytest exercises/ passes on the solutions": public_tests_pass_on_solutions,
    "Messages exist in all languages": messages_complete,
}


@cache
def _judged(assignment: Assignment) -> dict[str, SubmissionResult]:
    with Sandbox(assignment) as sandbox:
        return {
            name: judge(Submission(name, files), assignment, sandbox)
            for name, files in {"stubs": {}, "solutions": reference_files(assignment)}.items()
        }


def once_more() -> None:
    """What has been measured is forgotten: the next check measures anew."""
    from autograder.diagnosis import matching

    _judged.cache_clear()
    matching.known.cache_clear()
    matching.reference.cache_clear()


def _public(assignment: Assignment, code: Path | None = None) -> dict[str, bool]:
    """Public test -> whether it passes, on what students get, or on `code`."""
    from autograder.release.selfcheck import lay_out

    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        exercises = lay_out(assignment, Path(folder))
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                exercises.name,
                f"--code={code or exercises}",
                f"--junitxml={report}",
                "-pno:cacheprovider",
            ],
            cwd=folder,
            capture_output=True,
            timeout=900,
            check=False,
        )
        if not report.exists():
            return {}
        cases = ElementTree.parse(report).getroot().iter("testcase")
        return {
            f"{case.get('classname')}.{case.get('name')}": not any(
                case.find(kind) is not None for kind in ("failure", "error", "skipped")
            )
            for case in cases
        }


def _some(outcomes: Mapping[str, bool]) -> list[str]:
    return [] if outcomes else ["no public test was run; try `pytest exercises/`"]
