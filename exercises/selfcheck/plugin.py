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
    EXERCISES,
    FILE_OF,
    FILES,
    ORDER,
    exercise_of,
)
from exercises.selfcheck.commands import Commands, quoted
from exercises.selfcheck.explain import explain, says
from exercises.selfcheck.judging import Run
from exercises.selfcheck.loading import Code
from exercises.selfcheck.report import Report, changed_files
from exercises.selfcheck.screen import Screen, printable
from exercises.selfcheck.texts import Texts, language, settings

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
        self.run = Run(self.code, self.seconds, self._give_up)
        self._attempts: dict[str, Attempt] = {}
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
            self._attempts[item.nodeid] = self.run.attempt()
        return self._attempts[item.nodeid]

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
        ended = call.when == "call" if error is None else isinstance(error, Exception)
        if not ended or isinstance(error, pytest.skip.Exception):
            return report
        wants = getattr(item, "fixturenames", ())
        failed = error if isinstance(error, Exception) else None
        test, exercise = self._names(item)
        result = self.run.ended(test, exercise, wants, self.attempt(item), failed, report.capstdout)
        if result.trouble is None:
            return report
        report.selfcheck = result.outcome  # type: ignore[attr-defined]
        reason = " ".join(says(result.trouble, self.texts))
        report.outcome = "failed"
        report.longrepr = f"{self.texts('test.' + test.replace('/', '.') + '.title')}: {reason}"
        if result.outcome == "wrong":  # editors and JUnit show this: all that the terminal would say
            told = explain(test, result.trouble, result.given, result.printed, self.texts)
            report.longrepr += "\n\n" + "\n".join(told)
        else:
            call.excinfo = None  # nothing for --pdb to look at
        if result.outcome in ("waiting", "not tried"):
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
        if session.exitstatus == 0 and any(r.outcome == "waiting" for r in self.run.results):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The picture."""
        screen = Screen.of_pytest(terminalreporter)
        if not self.run.results:
            changed_files(screen, self.texts)
            if self.config.getoption("numprocesses", None):  # xdist: the tests ran in other processes
                screen.line(self.texts("ui.xdist"))
            return
        report = Report(self.run.results, self.texts, screen, self.commands, self.config.get_verbosity())
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
            r.test: {"exercise": r.exercise, "outcome": r.outcome, "cases": r.cases} for r in self.run.results
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
