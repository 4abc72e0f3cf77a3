"""The process behind watch mode: keeps torch loaded, runs the tests it is told to, shows what came of them."""

from __future__ import annotations

import io
import signal
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from exercises.selfcheck.chapter import BY_ID, EXERCISES, HERE
from exercises.selfcheck.commands import Commands, python
from exercises.selfcheck.texts import Texts

Order = tuple[str, tuple[str, ...]]  # ("saved", ("norm.py",)), ("all", ()), ("next", ()), ("hint", ())


def serve(connection: Connection, folder: Path, lang: str) -> None:
    """Does what is ordered, one thing after the other, until the other side is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the other process's: it ends this one
    sys.dont_write_bytecode = True  # what is saved twice within a second must be read twice
    work = Work(folder, Texts(lang))
    try:
        connection.send("ready")
        while True:
            order, names = connection.recv()
            work.do(order, set(names))
            connection.send("done")
    except (EOFError, OSError):
        return


class Work:
    """What is known of the student's work, from the newest run of each test."""

    def __init__(self, folder: Path, texts: Texts) -> None:
        self._folder, self._texts = folder, texts
        self._results: dict[str, Any] = {}  # test -> its newest Result
        self._at = ""  # the exercise that the student has chosen by saving it or by `n`; else the first not done
        self._hints: dict[str, int] = {}  # whose -> how many were shown

    def do(self, order: str, names: set[str]) -> None:
        """Runs the tests that the order needs, and shows where the student is."""
        exercise = self._current()
        if order == "next":
            ids = [e.id for e in EXERCISES]
            exercise = self._at = ids[(ids.index(exercise) + 1) % len(ids)]
        elif order == "saved":
            exercise = self._at = self._saved(names, exercise)
        if order == "all":
            self._at = ""
            self._run([])
        elif order == "hint":
            key = self._report().hint_key
            self._hints[key] = min(self._hints.get(key, 0) + 1, 3)
            self._show(self._hints[key])
            return
        else:
            fresh = not self._results  # the process before this one is gone, and what it knew
            self._run([exercise] if BY_ID[exercise].symbols else [])
            if fresh:
                self._run([])
            elif self._done(exercise) and order == "saved":
                self._at = ""
                self._show(0)
                self._run([])  # what waited for it, and what it may have broken
        self._show(0)

    def _current(self) -> str:
        if self._at and not self._done(self._at):
            return self._at
        return next((e.id for e in EXERCISES if not self._done(e.id)), EXERCISES[-1].id)

    def _done(self, exercise: str) -> bool:
        outcomes = [r.outcome for r in self._results.values() if r.exercise == exercise]
        return bool(outcomes) and all(outcome == "passed" for outcome in outcomes)

    def _saved(self, names: set[str], current: str) -> str:
        """The exercise that was worked on: the current one, unless it is in no file that was saved."""
        there = [e.id for e in EXERCISES if e.symbols and e.file in names]
        if current in there or not there:
            return current
        return next((id for id in there if not self._done(id)), there[-1])

    def _run(self, exercises: list[str]) -> None:
        import pytest
        from _pytest.terminal import TerminalReporter

        class Quiet:
            """Takes the results, and the terminal away from pytest."""

            results: list[Any] = []

            @pytest.hookimpl(trylast=True)
            def pytest_configure(self, config: pytest.Config) -> None:
                config.pluginmanager.unregister(name="terminalreporter")
                config.pluginmanager.register(TerminalReporter(config, said), "terminalreporter")

            def pytest_sessionfinish(self, session: pytest.Session) -> None:
                self.results = session.config.pluginmanager.getplugin("selfcheck").run.results

        said, quiet = io.StringIO(), Quiet()
        sheets = {BY_ID[id].sheet for id in exercises}
        places = [str(HERE / f"test_{sheet}.py") for sheet in sorted(sheets)] or [str(HERE)]
        arguments = [*places, "--code", str(self._folder), "--lang", self._texts.lang]
        arguments += [part for id in exercises for part in ("--exercise", id)]
        code = pytest.main([*arguments, "-p", "no:cacheprovider"], plugins=[quiet])
        if code not in (0, 1, 5):
            print(self._texts("watch.debugger") if "Quitting debugger" in said.getvalue() else said.getvalue())
        ran = exercises or [e.id for e in EXERCISES]
        self._results = {test: r for test, r in self._results.items() if r.exercise not in ran}
        self._results |= {r.test: r for r in quiet.results}

    def _report(self, screen: Any = None) -> Any:
        from exercises.selfcheck.report import Report

        commands = Commands("watch", python=python(Path.cwd()))
        return Report(list(self._results.values()), self._texts, screen, commands, at=self._at or None)

    def _show(self, hints: int) -> None:
        from exercises.selfcheck.screen import Screen

        screen = Screen.empty()
        self._report(screen).write(hints)
        screen.line("  " + self._texts("watch.keys"), light=True)
        sys.stdout.flush()
