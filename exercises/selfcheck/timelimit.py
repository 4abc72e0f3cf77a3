"""Stops code that does not end. Works on Windows, Linux and macOS alike, without signals.

A watcher thread raises `TimeLimit` inside the thread that runs the code. Python sees it at the next step of
a loop. It is a BaseException, so that `except Exception` does not swallow it; should a bare `except:` do so,
it is raised again every second. Code that hangs in one single operation cannot be stopped in this way: after
PATIENCE more seconds `give_up` is called, which ends the run with a sentence.

The limit counts the CPU time of this process, so that a busy computer does not make right code look endless;
code that sleeps uses none, so for it SLEEPY times as many seconds of the clock are the limit.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
SLEEPY = 6
PATIENCE = 10.0


class TimeLimit(BaseException):
    """The code has used up its time."""


def limited(call: Callable[[], T], seconds: float, give_up: Callable[[], None]) -> T:
    """call(), or TimeLimit when it has not ended after `seconds`."""
    watch = _Watch(seconds, give_up)
    try:
        watch.start()
        try:
            return call()
        finally:
            watch.stop()
    except TimeLimit:
        watch.stop()  # it may have struck while the watch was being stopped
        raise


class _Watch:
    def __init__(self, seconds: float, give_up: Callable[[], None]) -> None:
        self._seconds, self._give_up = seconds, give_up
        self._target = threading.get_ident()
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        with self._lock:
            self._over.set()
            _raise_in(self._target, None)  # takes back what has not struck yet

    def _watch(self) -> None:
        worked, started = time.process_time(), time.monotonic()
        struck = 0.0  # when TimeLimit was raised first
        while not self._over.wait(1.0 if struck else min(self._seconds / 4, 0.5)):
            now = time.monotonic()
            if time.process_time() - worked < self._seconds and now - started < SLEEPY * self._seconds:
                continue
            with self._lock:
                if self._over.is_set():
                    return
                _raise_in(self._target, TimeLimit)
            struck = struck or now
            if now - struck > PATIENCE:
                self._give_up()


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    what = ctypes.py_object(kind) if kind is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), what)
