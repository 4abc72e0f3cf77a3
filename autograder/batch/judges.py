"""Judge processes seen from outside: started, asked, watched, and replaced when they die."""

from __future__ import annotations

import contextlib
import platform
import queue
import subprocess
import threading
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import ValidationError

from autograder.batch.job import Answer, Job, Ready, Setting
from autograder.batch.starting import FORKS, Forked, Program, Started, Warm
from autograder.course import Limits

MODULE = "autograder.batch.process"
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

    def __init__(self, setting: Setting, process: Started) -> None:
        self._process = process
        self._replies: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        threading.Thread(target=self._watch, daemon=True).start()
        self._setting = setting
        self._ready = False
        with contextlib.suppress(OSError, ValueError):  # it has died already: `start` says how
            self._write(setting.line())

    def start(self) -> None:
        """Waits until it is ready, the first time. Raises JudgeLost, Refused, OtherKit."""
        if self._ready:
            return
        line = self._reply(START_SECONDS)
        try:
            ready = Ready.model_validate_json(line)
        except ValidationError:
            answer = _answer(line)
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
            self._write(job.line())
        except (OSError, ValueError):
            raise JudgeLost(self._how_it_ended()) from None
        return _answer(self._reply(watchdog_seconds(self._setting.assignment.limits)))

    def end(self, patience: float = 3.0) -> None:
        """Ends it, in order if it can within `patience` seconds, and whatever it started."""
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(patience)
        self._process.kill()

    def _write(self, line: str) -> None:
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _reply(self, seconds: float) -> str:
        try:
            reply = self._replies.get(timeout=seconds)
        except queue.Empty:
            raise JudgeLost(f"no answer within {seconds:.0f} s") from None
        if reply is None:
            raise JudgeLost(self._how_it_ended())
        return reply

    def _listen(self) -> None:
        with contextlib.suppress(ValueError, OSError):  # closed meanwhile
            for line in self._process.stdout:
                self._replies.put(line)
        self._replies.put(None)

    def _watch(self) -> None:
        """Its pipe may be held open by what it started, so its end is watched for as well."""
        self._process.wait()
        time.sleep(0.5)  # for `_listen` to pass on its last words
        self._replies.put(None)

    def _how_it_ended(self) -> str:
        code = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(5)
        if code is None:
            how = "how is not known"
        else:
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
        last = self._process.last_words()
        return f"the judge process ended ({how}){': ' + last if last else ''}"


class Judges:
    """Idle judge processes, kept for the next submission. Used by many threads at once."""

    def __init__(self, module: str = MODULE, *, forks: bool = FORKS) -> None:
        """module: what a judge process runs; forks: whether they are forked from one that imported it."""
        self._module, self._forks = module, forks
        self._warm: Warm | None = None
        self._lock = threading.Lock()
        self._idle: list[tuple[str, JudgeProcess]] = []
        self._all: set[JudgeProcess] = set()
        self._closed = False

    def expect_some(self) -> None:
        """Begins with what all judge processes need, before it is known how many there will be."""
        with self._lock:
            if self._forks and self._warm is None:
                self._warm = Warm(self._module)

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
            warm, self._warm = self._warm, None
        if warm is not None:
            warm.no_more()  # first: who has not begun by now never will
        enders = [threading.Thread(target=self._drop, args=(one,)) for one in running]
        for thread in enders:
            thread.start()
        for thread in enders:
            thread.join()
        if warm is not None:
            warm.close()

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
        process = JudgeProcess(setting, self._started(setting.hidden))
        self._all.add(process)
        return process

    def _started(self, hidden: str) -> Started:
        if self._forks:
            if self._warm is not None and self._warm.kit not in (hidden, None):
                self._warm.no_more()  # it has imported a kit that is another one by now
                self._warm = None
            if self._warm is None:
                self._warm = Warm(self._module)
            self._warm.kit = hidden
            with contextlib.suppress(OSError):
                if self._warm.alive:
                    return Forked(self._warm)
        return Program(self._module)

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


def _answer(line: str) -> Answer:
    try:
        return Answer.model_validate_json(line)
    except ValidationError:
        raise JudgeLost("the judge process sent what is not an answer") from None
