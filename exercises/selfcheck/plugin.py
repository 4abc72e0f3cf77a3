"""pytest's side of the self-check: collects what came of each test, and hands it to the report."""

from __future__ import annotations

import bdb
import json
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from exercises.selfcheck import commands, debugging, record
from exercises.selfcheck.calls import Attempt
from exercises.selfcheck.chapter import (
    BY_ID,
    EXERCISES,
    FILE_OF,
    FILES,
    MODULES,
    ORDER,
    OWNER,
    exercise_of,
    place,
)
from exercises.selfcheck.commands import Commands, quoted
from exercises.selfcheck.explain import says
from exercises.selfcheck.loading import Code
from exercises.selfcheck.progress import Result, judged
from exercises.selfcheck.report import Report, changed_files
from exercises.selfcheck.screen import Screen, printable
from exercises.selfcheck.texts import Texts, language, settings
from exercises.selfcheck.trouble import Raised, Trouble, Waiting

HERE = Path(__file__).resolve().parent.parent
LETTERS = {"wrong": "F", "not written": "o", "waiting": "w", "not tried": "-"}


class SelfCheck:
    """One run of the public tests."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.cwd = config.invocation_params.dir
        self.texts = Texts(language(config.getoption("--lang", None)))
        self.seconds = float(config.getoption("--seconds", None) or settings()["seconds"])
        asked = config.getoption("--code", None)
        places = [HERE] if asked is None else [self.cwd / asked, HERE.parent / asked]
        folder = next((place for place in places if place.is_dir()), None)
        if folder is None:
            raise pytest.UsageError(self.texts("ui.no_folder", folder=asked))
        self.only = self._exercises(config.getoption("--exercise", None) or [])
        self.code = Code(folder)
        self.code.install()
        debugging.watch_input()
        if debugging.asks_for_input(self.code.path(file) for file in FILES):
            debugging.stop_capturing(config)
        self.results: list[Result] = []
        self._attempts: dict[str, Attempt] = {}
        self._endless: set[str] = set()
        if hasattr(sys.stdout, "reconfigure"):  # a print must not fail for a letter the console lacks
            sys.stdout.reconfigure(errors="replace")
        ours_alone = all(self._ours(Path(self.cwd, arg.split("::")[0])) for arg in config.args)
        if config.get_verbosity() == 0 and ours_alone:
            config.option.no_header = True

    def _exercises(self, asked: list[str]) -> set[str]:
        """--exercise norm (or norm.py, or layer_norm): ids of the exercises of that name or file."""
        found = set()
        for name in asked:
            plain = name.casefold().removesuffix(".py")
            fits = [e.id for e in EXERCISES if plain in (e.id.casefold(), e.file.removesuffix(".py"))]
            if not fits:
                names = ", ".join(e.id for e in EXERCISES)
                raise pytest.UsageError(self.texts("ui.no_exercise", exercise=name, exercises=names))
            found.update(fits)
        return found

    @property
    def commands(self) -> Commands:
        """What to type for more: as this run was started, with the options that the next one needs, too."""
        try:
            path = os.path.relpath(HERE, self.cwd)
        except ValueError:  # another drive of Windows
            path = str(HERE)
        folder = quoted(str(HERE) if path.startswith("..") else path)
        asked = {name: self.config.getoption(name, None) for name in ("--lang", "--code")}
        lang, code = (f" {name} {quoted(value)}" if value else "" for name, value in asked.items())
        return Commands("ui", commands.pytest(self.cwd), commands.python(self.cwd), folder, lang, code)

    def attempt(self, item: pytest.Item) -> Attempt:
        """The watched calls of that test."""
        if item.nodeid not in self._attempts:
            self._attempts[item.nodeid] = Attempt(
                self.code, self.seconds, self._give_up, self._endless, self.wait_for
            )
        return self._attempts[item.nodeid]

    def wait_for(self, exercise: str) -> None:
        """Raises Waiting when, in this run, that exercise was not right."""
        if any(r.exercise == exercise and r.outcome != "passed" for r in self.results):
            raise Waiting(exercise)

    # -- pytest's hooks --------------------------------------------------------------------------------------

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """The order of the chapter, not of the alphabet."""
        ours = sorted((i for i in items if self._ours(i.path)), key=lambda i: ORDER[self._names(i)[1]])
        kept = [i for i in ours if self._asked(self._names(i)[1])]
        if len(kept) < len(ours):
            self.config.hook.pytest_deselected(items=[i for i in ours if i not in kept])
        items[:] = [i for i in items if not self._ours(i.path)] + kept

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """`-k layer_norm` selects the tests of that exercise, whatever they are called."""
        if self._ours(item.path):
            item.extra_keyword_matches.add(self._names(item)[1])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Plain words instead of a traceback."""
        report = yield
        if not self._ours(item.path) or call.when == "teardown":
            return report
        error = call.excinfo.value if call.excinfo else None
        if isinstance(error, bdb.BdbQuit):  # `q` in a debugger that is not pytest's own
            pytest.exit("Quitting debugger")
        if error is None and call.when == "call":
            self._keep(item, "passed", None, report.capstdout)
        elif isinstance(error, Exception) and not isinstance(error, pytest.skip.Exception):
            test, exercise = self._names(item)
            kind = type(error).__name__
            trouble = error if isinstance(error, Trouble) else Raised("raised.test", kind, str(error))
            outcome, trouble = self._after_what_it_uses(item, exercise, *judged(exercise, trouble))
            self._keep(item, outcome, trouble, report.capstdout)
            report.selfcheck = outcome  # type: ignore[attr-defined]
            reason = " ".join(says(trouble, self.texts))
            report.longrepr = f"{self.texts('test.' + test.replace('/', '.') + '.title')}: {reason}"
            if outcome != "wrong":
                call.excinfo = None  # nothing for --pdb to look at
            if outcome in ("waiting", "not tried"):
                report.outcome = "skipped"
                report.longrepr = (str(item.path), item.location[1] or 0, reason)
        return report

    @pytest.hookimpl(tryfirst=True)
    def pytest_exception_interact(self, node: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """`--pdb` begins in the student's line, or in the test's when their code has already ended."""
        if call.excinfo is not None and self._ours(node.path):
            error = call.excinfo.value
            error.__traceback__ = debugging.own_lines(error, HERE, self.code.owns) or error.__traceback__
            error.__cause__ = None
            error.__suppress_context__ = True
            call.excinfo = pytest.ExceptionInfo.from_exception(error)

    def pytest_enter_pdb(self, pdb: Any) -> None:
        """Steps go from the test into the student's function and back, past the kit."""
        pdb.skip = {*(getattr(pdb, "skip", None) or ()), *debugging.STEPPED_OVER}
        if self.config.getoption("trace", False):  # or the first step would go through a file's imports
            self.code.load_all()

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Our words in the place of FAILED and SKIPPED."""
        outcome = getattr(report, "selfcheck", None)
        if outcome is None:
            return None
        key = outcome.replace(" ", "_")
        category = self.texts(f"category.{key}")
        return category, LETTERS[outcome], self.texts(f"ui.verbose_{key}")

    def pytest_unconfigure(self) -> None:
        """Another run in this process may have other files."""
        self.code.uninstall()

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Tests that wait are not a success."""
        if session.exitstatus == 0 and any(r.outcome == "waiting" for r in self.results):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The picture."""
        screen = Screen.of_pytest(terminalreporter)
        if not self.results:
            changed_files(screen, self.texts)
            return
        report = Report(self.results, self.texts, screen, self.commands, self.config.get_verbosity())
        report.write(self._hints_to_show(report), by_number=bool(self.config.getoption("--hint", None)))
        self._record(screen)

    def _asked(self, exercise: str) -> bool:
        return not self.only or exercise in self.only

    # -- inside ----------------------------------------------------------------------------------------------

    def _ours(self, path: Path) -> bool:
        return path.resolve() == HERE or path.resolve().parent == HERE

    def _names(self, item: pytest.Item) -> tuple[str, str]:
        """(test, exercise)"""
        sheet = item.path.stem.removeprefix("test_")
        wants = getattr(item, "fixturenames", ())
        return f"{sheet}/{item.name.removeprefix('test_')}", exercise_of(sheet, wants)

    def _after_what_it_uses(
        self, item: pytest.Item, exercise: str, outcome: str, trouble: Trouble
    ) -> tuple[str, Trouble]:
        """A test that calls two functions waits until the earlier one is right."""
        wants = set(getattr(item, "fixturenames", ())) & set(FILE_OF)
        wants -= {*BY_ID[exercise].symbols, *MODULES}  # a module is only made there, not called
        wrong = {r.exercise for r in self.results if r.outcome != "passed"}
        unready = [symbol for symbol in wants if OWNER[symbol] in wrong]
        if outcome == "wrong" and unready:
            return "waiting", Waiting(min(unready, key=place))
        return outcome, trouble

    def _keep(self, item: pytest.Item, outcome: str, trouble: Trouble | None, printed: str) -> None:
        test, exercise = self._names(item)
        attempt = self.attempt(item)
        result = Result(
            test, exercise, outcome, trouble, attempt.given, printed, attempt.cases, attempt.advice
        )
        others = set(getattr(item, "fixturenames", ())) & set(FILE_OF) - set(BY_ID[exercise].symbols)
        result.beside = isinstance(trouble, Waiting) and trouble.symbol in others
        self.results.append(result)

    def _hints_to_show(self, report: Report) -> int:
        """Remembered in pytest's own cache (.pytest_cache, forgotten with --cache-clear), nowhere else."""
        asked = self.config.getoption("--hint", None)
        key, cache = report.hint_key, getattr(self.config, "cache", None)
        if asked is None or key is None:
            return 0 if asked is None else 1
        seen: dict[str, int] = (cache.get("exercises/hints", None) if cache else None) or {}
        number = min(asked or seen.get(key, 0) + 1, 3)
        if cache:
            cache.set("exercises/hints", {**seen, key: number})
        return number

    def _record(self, screen: Screen) -> None:
        file = self.config.getoption("--record", None)
        if file is None:
            return
        tests = {
            r.test: {"exercise": r.exercise, "outcome": r.outcome, "cases": r.cases} for r in self.results
        }
        try:
            text = json.dumps({"format": record.FORMAT, "tests": tests}, indent=1)
            (self.cwd / file).write_text(text + "\n", encoding="utf-8")
        except OSError as e:
            screen.line("  " + self.texts("ui.cannot_record", file=file, reason=e.strerror), red=True)
        else:
            screen.line("  " + self.texts("ui.recorded", file=file))

    def _give_up(self, symbol: str) -> None:
        """Called from the watcher's thread when the student's code cannot be stopped."""
        capture = self.config.pluginmanager.getplugin("capturemanager")
        if capture is not None:
            capture.suspend_global_capture(in_=True)
        text = self.texts("ui.time", symbol=symbol, file=FILE_OF.get(symbol, ""))
        print("\n" + printable(text, getattr(sys.stdout, "encoding", None)), flush=True)
        os._exit(2)
