"""Judge processes seen from outside: started, asked, watched, and replaced when they die."""

from __future__ import annotations

import contextlib
import platform
import queue
import threading
from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import ValidationError

from autograder.batch.child import START, Child, Start, warm_up
from autograder.batch.job import Answer, Job, Ready, Setting
from autograder.course import Limits

MODULE = "autograder.batch.process"
_IMPORTED: list[str] = []  # kits (hashes) that were asked for, in order
START_SECONDS = 300.0  # torch from a slow disk, on a busy machine


class JudgeLost(Exception):
    """A judge process died, went silent or spoke nonsense; the text says which."""


class JudgesClosed(Exception):
    """No judge process is to be had any more: the batch is ending."""


class Refused(Exception):
    """The machine cannot isolate; the text says what is missing."""


class OtherKit(Exception):
    """The kit that would grade is not the one that asks (on a cluster); the text says where."""


class JudgeProcess:
    """One judge process. It gets ready at once; `start` waits for that. Then `ask` it one job at a time."""

    def __init__(self, setting: Setting, module: str, start: Start) -> None:
        self._setting = setting
        self._child: Child | None = None  # until it has begun
        self._why_not = ""
        self._replies: queue.Queue[bytes | None] = queue.Queue()
        self._ready = False
        self._begun = threading.Event()
        threading.Thread(target=self._listen, args=(module, start), daemon=True).start()

    def start(self) -> None:
        """Waits until it is ready, the first time. Raises JudgeLost, Refused, OtherKit."""
        if self._ready:
            return
        message = self._reply(START_SECONDS)
        try:
            ready = Ready.model_validate_json(message)
        except ValidationError:
            answer = _answer(message)
            if answer.refused is None:
                raise JudgeLost(answer.fault or "the judge process gave no reason") from None
            raise Refused(answer.refused) from None
        if ready.hidden != self._setting.hidden:
            raise OtherKit(
                f"the kit that would grade, on {platform.node()}, is not the one this run began with: "
                "it was changed in between, or is another version; make them the same"
            )
        self._ready = True

    def ask(self, job: Job) -> Answer:
        """Grades one submission. Raises JudgeLost."""
        try:
            if self._child is not None:
                self._child.send(job.line().encode())
        except OSError:
            raise JudgeLost(self._how_it_ended()) from None
        return _answer(self._reply(watchdog_seconds(self._setting.assignment.limits)))

    def end(self, patience: float = 3.0) -> None:
        """Ends it, in order if it can within `patience` seconds, and whatever it started."""
        self._begun.wait(START_SECONDS)
        if self._child is not None:
            self._child.end(patience)

    def _listen(self, module: str, start: Start) -> None:
        """Starts it and hands on what it says, None at its end."""
        try:
            child = self._child = Child(module, start)
            with contextlib.suppress(OSError):  # it has died already: `start` says how
                child.send(self._setting.line().encode())
        except Exception as e:  # whatever it is: somebody waits for an answer
            self._why_not = f"{type(e).__name__}: {e}" if not isinstance(e, OSError) else str(e)
            self._replies.put(None)
            return
        finally:
            self._begun.set()
        message: bytes | None = b""
        while message is not None:
            message = child.reply()
            self._replies.put(message)

    def _reply(self, seconds: float) -> bytes:
        try:
            reply = self._replies.get(timeout=seconds)
        except queue.Empty:
            raise JudgeLost(f"no answer within {seconds:.0f} s") from None
        if reply is None:
            raise JudgeLost(self._how_it_ended())
        return reply

    def _how_it_ended(self) -> str:
        if self._child is None:
            return self._why_not
        return f"the judge process ended {self._child.how_it_ended()}"


class Judges:
    """Idle judge processes, kept for the next submission. Used by many threads at once."""

    def __init__(self, module: str = MODULE, start: Start = START) -> None:
        """module: what a judge process runs; start: how it comes to be."""
        self._module, self._start = module, start
        self._lock = threading.Lock()
        self._idle: list[tuple[str, JudgeProcess]] = []
        self._all: set[JudgeProcess] = set()
        self._closed = False

    def expect_some(self) -> None:
        """Begins with what all judge processes need, before it is known how many there will be."""
        if self._start == "forkserver":
            warm_up()

    def expect(self, setting: Setting, jobs: int) -> None:
        """Starts judge processes until there are so many, and does not wait until they are ready."""
        key = setting.line()
        with self._lock:
            there = sum(its_key == key for its_key, _ in self._idle)
            self._idle += [(key, self._new(setting)) for _ in range(jobs - there)]

    @contextlib.contextmanager
    def lease(self, setting: Setting) -> Iterator[JudgeProcess]:
        """A judge process of this setting for one submission; one that is lost is not used again.

        Raises JudgesClosed, JudgeLost, Refused, OtherKit.
        """
        key = setting.line()
        process = self._take(key, setting)
        try:
            process.start()
            yield process
        except BaseException:
            self._drop(process)
            raise
        with self._lock:
            if not self._closed:
                self._idle.append((key, process))
                return
        self._drop(process)

    def close(self) -> None:
        """Ends all of them, also those in the middle of a submission."""
        with self._lock:
            self._closed = True
            running, self._idle = list(self._all), []
        enders = [threading.Thread(target=self._drop, args=(one,)) for one in running]
        for thread in enders:
            thread.start()
        for thread in enders:
            thread.join()

    def _take(self, key: str, setting: Setting) -> JudgeProcess:
        with self._lock:
            if self._closed:
                raise JudgesClosed
            for i, (its_key, process) in enumerate(self._idle):
                if its_key == key:
                    del self._idle[i]
                    return process
            stale, self._idle = self._idle, []  # of an earlier class, with another setting
            taken = self._new(setting)
        for _, process in stale:
            self._drop(process)
        return taken

    def _new(self, setting: Setting) -> JudgeProcess:
        """A process that `close` knows of. The lock is held."""
        # What others are forked from has imported one kit; another one begins anew.
        _IMPORTED.append(setting.hidden)
        start = self._start if setting.hidden == _IMPORTED[0] else "spawn"
        process = JudgeProcess(setting, self._module, start)
        self._all.add(process)
        return process

    def _drop(self, process: JudgeProcess) -> None:
        with self._lock:
            if process not in self._all:
                return
            self._all.remove(process)
        process.end()


def grade(job: Job, judges: Judges) -> Answer:
    """Grades one submission; when its judge process is lost, once more in a new one. Raises JudgesClosed.

    A submission that takes two judge processes down with it is a fault of ours until a person has looked.
    """
    lost = ""
    for _ in range(2):
        try:
            with judges.lease(job.setting) as process:
                return process.ask(job)
        except JudgeLost as e:
            lost = str(e)
        except Refused as e:
            return Answer(refused=str(e), elsewhere=True)
        except OtherKit as e:
            return Answer(fault=str(e), elsewhere=True)
    return Answer(fault=lost)


def grade_anywhere(line: str) -> str:
    """`grade` as a task for a cluster, judge processes kept between tasks. Gives the worker's address, and below
    it the answer."""
    from distributed import get_worker

    where: Any = get_worker
    answer = grade(Job.model_validate_json(line), _of_this_process())
    return f"{where().address}\n{answer.line()}"


@cache
def _of_this_process() -> Judges:
    return Judges()


def watchdog_seconds(limits: Limits) -> float:
    """How long a judge process may take for one submission: far above what its limits allow, for these do
    not count the time in which the machine is busy with others."""
    return 300.0 + 10 * limits.submission_wall_seconds


def _answer(message: bytes) -> Answer:
    try:
        return Answer.model_validate_json(message)
    except ValidationError:
        raise JudgeLost("the judge process sent what is not an answer") from None
