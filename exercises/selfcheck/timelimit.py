"""Stops code that does not end. Works on Windows, Linux and macOS alike, without signals.

A watcher thread raises `TimeLimit` inside the thread that runs the code. Python sees it at the next step of
a loop. It is a BaseException, so that `except Exception` does not swallow it; should a bare `except:` do so,
it is raised again every second. Code that hangs in one single operation cannot be stopped in this way: after
PATIENCE more seconds `give_up` is called, which ends the run with a sentence.

The limit counts the CPU time of this process, so that a busy computer does not make right code look endless;
code that sleeps uses none, so for it SLEEPY times as many seconds of the clock are the limit. Both stand
still while a person debugs (debugging.py) and while the computer sleeps or the run is suspended.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from exercises.selfcheck.debugging import held

T = TypeVar("T")
SLEEPY = 6
PATIENCE = 10.0
TICK = 0.5  # longest time between two looks at the clocks


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
        self._struck = False
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """No TimeLimit strikes after this."""
        try:
            with self._lock:
                self._over.set()
            # What was raised just now is let through here. Taking it back would leave Python 3.11 with a flag
            # that slows it down, and that a debugger does not survive.
            for _ in range(100 if self._struck else 0):
                pass
        except TimeLimit:
            self.stop()

    def _watch(self) -> None:
        worked = passed = after = 0.0  # seconds: of work, of the clock, of the clock since the first strike
        cpu, clock = time.process_time(), time.monotonic()
        tick = min(self._seconds / 4, TICK)
        while not self._over.wait(1.0 if self._struck else tick):
            cpu_before, clock_before = cpu, clock
            cpu, clock = time.process_time(), time.monotonic()
            if held(self._target, limited.__code__):
                continue
            step = min(clock - clock_before, 4 * TICK)  # a suspended run wakes up after hours
            worked, passed, after = worked + cpu - cpu_before, passed + step, after + step * self._struck
            if worked < self._seconds and passed < SLEEPY * self._seconds:
                continue
            with self._lock:
                if self._over.is_set():
                    return
                self._struck = True
                _raise_in(self._target, TimeLimit)
            if after > PATIENCE:
                self._give_up()


def _raise_in(thread: int, kind: type[BaseException]) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))
