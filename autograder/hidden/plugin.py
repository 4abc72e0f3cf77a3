"""The pytest plugin that runs hidden tests over one submission and collects an Outcome for each."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Literal

import pytest

from autograder.course import Course
from autograder.hidden.kit import Wrong
from autograder.hidden.outcome import Outcome
from autograder.sandbox.api import Student
from autograder.sandbox.errors import GraderFault

HERE = Path(__file__).resolve().parent
# What pytest would do around each test for people who do not look on here.
NOT_NEEDED = """
    assertion cacheprovider debugging doctest faulthandler junitxml legacypath logging pastebin recwarn
    setuponly setupplan skipping stepwise subtests terminal threadexception tmpdir unittest
    unraisableexception warnings
"""
ARGUMENTS = [
    f"--rootdir={HERE}",
    f"--confcutdir={HERE}",  # else it looks through every folder above, and what lies there costs time
    "--disable-plugin-autoload",  # what an instructor has installed must not change a grade
    *(f"-pno:{name}" for name in NOT_NEEDED.split()),
    "--capture=no",
    "-c/dev/null" if Path("/dev/null").exists() else "-cNUL",
    "--import-mode=importlib",
]


class HiddenTests:
    """Registered as "hidden-tests"; autograder/hidden/conftest.py takes the fixtures' values from it."""

    def __init__(
        self,
        course: Course,
        student: Student,
        reference: Callable[[], Student],
        *,
        only: Collection[str] | None = None,
        timing: bool = True,
    ) -> None:
        self.course, self.student, self.reference = course, student, reference
        self.only, self.timing = only, timing
        self.outcomes: list[Outcome] = []
        self._sheet: str | None = None
        self._cpu = 0.0

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Keeps the wanted tests, in the chapter's order."""
        order = {e.id: i for i, e in enumerate(self.course.exercises)}
        wanted = [i for i in items if self._wanted(i)]
        items[:] = sorted(wanted, key=lambda item: order[mark_of(item)["exercise"]])

    def _wanted(self, item: pytest.Item) -> bool:
        mark = mark_of(item)
        return (self.only is None or test_id(item) in self.only) and (self.timing or not mark["timing"])

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Every sheet begins in a new process, so what one did to Python does not reach the next."""
        sheet = test_id(item).split("/")[0]
        if sheet != self._sheet:
            self._sheet = sheet
            self.student.fresh()
        self._cpu = self._clock()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        """The end of a test (or of its set-up, when that failed) becomes an Outcome.

        The report is our own: pytest's would write out a traceback that nobody reads, and that costs more
        than
        the test.
        """
        error = call.excinfo.value if call.excinfo else None
        if call.when == "call" or error is not None:
            self.outcomes.append(
                Outcome.of(
                    test_id(item),
                    mark_of(item),
                    error,
                    self.course,
                    fingerprint=error.fingerprint if isinstance(error, Wrong) else None,
                    seconds=call.duration,
                    cpu_seconds=max(0.0, self._clock() - self._cpu),
                )
            )
        end: Literal["passed", "failed"] = "passed" if error is None else "failed"
        assert call.when != "collect"
        return pytest.TestReport(item.nodeid, item.location, {}, end, None, call.when, duration=call.duration)

    def _clock(self) -> float:
        """CPU seconds of the submission so far; 0 where no clock can be read (only a figure for people)."""
        with contextlib.suppress(GraderFault):
            return self.student.cpu_seconds()
        return 0.0


def test_id(item: pytest.Item) -> str:
    """heads/each_head_reads_its_own_slice, from test_heads.py::test_each_head_reads_its_own_slice"""
    return f"{item.path.stem.removeprefix('test_')}/{item.name.removeprefix('test_')}"


test_id.__test__ = False  # type: ignore[attr-defined]


def mark_of(item: pytest.Item) -> dict[str, Any]:
    """What `@points` says of a test. Raises pytest.UsageError when a hidden test has no mark."""
    mark = item.get_closest_marker("hidden")
    if mark is None:
        raise pytest.UsageError(f"{item.nodeid} has no @points(…) mark")
    return dict(mark.kwargs)


def run(
    course: Course,
    student: Student,
    reference: Callable[[], Student],
    *,
    only: Collection[str] | None = None,
    timing: bool = True,
) -> list[Outcome]:
    """Runs the hidden tests (only those ids, if given) over one submission. Raises GraderFault."""
    plugin = HiddenTests(course, student, reference, only=only, timing=timing)
    # Not more than one at a time in a process: pytest keeps its state in the interpreter.
    sheets = {HERE} if only is None else {HERE / f"test_{id.split('/')[0]}.py" for id in only}
    code = pytest.main([*map(str, sorted(sheets)), *ARGUMENTS], plugins=[_Named(plugin)])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise GraderFault(f"the hidden tests could not be run (pytest: {code!r})")
    return plugin.outcomes


class _Named:
    """Registers the plugin under the name by which conftest.py finds it."""

    def __init__(self, plugin: HiddenTests) -> None:
        self.plugin = plugin

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "hidden(points, exercise, concept, timing): a hidden test")
        config.pluginmanager.register(self.plugin, "hidden-tests")
