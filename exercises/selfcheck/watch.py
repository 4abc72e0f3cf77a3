"""Watch mode: after each save the exercise the student is at, without starting anew; a key for the rest.

This process reads keys and sees saves; the tests run in another one (warm.py), which keeps torch loaded and is
started again when student code takes it down. So `q` works at any time.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import queue
import sys
import threading
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from exercises.selfcheck import warm
from exercises.selfcheck.commands import python
from exercises.selfcheck.texts import Texts

Event = tuple[str, Any]  # ("key", "h"), ("saved", {"norm.py"}), ("idle", process), ("died", process)
ORDERS = {"h": "hint", "n": "next", "a": "all"}
MOST_WAITING = 5  # a key that is held down must not fill the next minutes
STEP = 30  # milliseconds without a change until a save counts as finished


class Watch:
    """The loop of watch mode."""

    def __init__(self, folder: Path, texts: Texts) -> None:
        self._folder, self._texts = folder, texts
        self._events: queue.Queue[Event] = queue.Queue()
        self._stop = threading.Event()
        self._waiting: list[warm.Order] = []  # what is to be done when the process is idle again
        self._idle = False
        self._worked = False  # the process that runs has come as far as its first report

    def run(self) -> int:
        """Until `q`, Ctrl-C or the end of the input; gives the exit code."""
        try:
            import watchfiles
        except ImportError:
            print(self._texts("watch.no_watchfiles", python=python(Path.cwd())))
            return 2
        print(self._texts("watch.starting"), flush=True)
        self._start([("all", ())])
        threading.Thread(target=self._saves, args=(watchfiles,), daemon=True).start()
        try:
            with _keys(self._events):
                while True:
                    if (code := self._handled(*self._events.get())) is not None:
                        return code
        except KeyboardInterrupt:
            return 130
        finally:
            self._stop.set()
            self._process.terminate()
            self._process.join(5)

    def _handled(self, kind: str, what: Any) -> int | None:
        """Does what the event asks for; the exit code when it is the last one."""
        if kind == "key" and what == "q":
            return 0
        if kind == "key" and what in ORDERS and len(self._waiting) < MOST_WAITING:
            self._waiting.append((ORDERS[what], ()))
        elif kind == "saved":
            before = {name for order, names in self._waiting if order == "saved" for name in names}
            self._waiting = [order for order in self._waiting if order[0] != "saved"]
            self._waiting.append(("saved", tuple(sorted(before | what))))
        elif kind == "idle" and what is self._process:
            self._idle = self._worked = True
        elif kind == "died" and what is self._process:
            if not self._worked:
                print(self._texts("watch.does_not_start"), flush=True)
                return 1
            print("  " + self._texts("watch.again"), flush=True)
            self._start([])
        if self._idle and self._waiting:
            self._idle = False
            with contextlib.suppress(OSError):  # it has died: that event is on its way
                self._connection.send(self._waiting.pop(0))
        return None

    def _start(self, first: list[warm.Order]) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(
            target=warm.serve, args=(theirs, self._folder, self._texts.lang), daemon=True
        )
        self._idle, self._worked = False, not first
        self._waiting = first + self._waiting
        self._process.start()
        theirs.close()
        threading.Thread(target=self._answers, args=(self._process, self._connection), daemon=True).start()

    def _answers(self, process: Any, connection: Connection) -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                connection.recv()
                self._events.put(("idle", process))
        self._events.put(("died", process))

    def _saves(self, watchfiles: Any) -> None:
        changes = watchfiles.watch(
            self._folder,
            watch_filter=lambda change, path: path.endswith(".py"),
            recursive=False,
            step=STEP,
            debounce=10 * STEP,
            stop_event=self._stop,
            raise_interrupt=False,
        )
        for found in changes:
            self._events.put(("saved", {Path(path).name for _, path in found}))


@contextlib.contextmanager
def _keys(events: queue.Queue[Event]) -> Iterator[None]:
    """Puts ("key", letter) into `events`, at once from a terminal, else after Return; ("key", "q") at the end."""

    def each(read: Any) -> None:
        while letter := read():
            events.put(("key", letter.strip().lower()))
        events.put(("key", "q"))

    read: Any = lambda: sys.stdin.readline()[:1]  # noqa: E731
    before = None
    if sys.stdin.isatty():
        if sys.platform == "win32":
            import msvcrt

            read = msvcrt.getwch
        else:
            import termios
            import tty

            before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin)
            read = lambda: sys.stdin.read(1)  # noqa: E731
    threading.Thread(target=each, args=(read,), daemon=True).start()
    try:
        yield
    finally:
        if before is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def watching(folder: Path, texts: Texts) -> int:
    """Watches the student's files in `folder`; gives the exit code."""
    return Watch(folder, texts).run()
