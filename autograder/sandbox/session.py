"""One worker process as the judge sees it: bytes out, bytes in, two clocks, and what it prints."""

from __future__ import annotations

import os
import secrets
import select
import selectors
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

from . import wire
from .errors import GraderFault
from .keeper import Death, Keeper, Process
from .patience import Queue

CHUNK = 1 << 20
LAST_WORDS = 5.0  # seconds for a process whose socket has closed to end
LEAST_WORDS = 1.0  # also when its time is over
DEATH_SECONDS = 60.0  # for the zygote to tell how it ended
SHORTEST_WAIT = 0.01
CPUS = os.cpu_count() or 1

Answer = Callable[[dict[str, Any], memoryview], tuple[dict[str, Any], bytes]]


class TimedOut(Exception):
    """The worker used up what it had of a clock."""

    def __init__(self, clock: Literal["cpu", "wall"]) -> None:
        super().__init__(clock)
        self.clock: Literal["cpu", "wall"] = clock


class Ended(Exception):
    """The worker is no more."""

    def __init__(self, death: Death) -> None:
        super().__init__(death)
        self.death = death


@dataclass
class Output:
    """What a submission has printed, up to `cap` bytes; the rest is read and thrown away."""

    cap: int
    kept: bytearray = field(default_factory=bytearray)

    def add(self, data: bytes) -> None:
        """Keeps what still fits."""
        self.kept += data[: max(0, self.cap - len(self.kept))]


class Session:
    """From the worker's birth to its death."""

    def __init__(self, keeper: Keeper, process: Process, output: Output) -> None:
        self._keeper, self._process, self._output = keeper, process, output
        self.death: Death | None = None
        self._socket = process.socket
        self._socket.setblocking(False)
        os.set_blocking(process.output, False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._socket, selectors.EVENT_READ)
        self._selector.register(process.output, selectors.EVENT_READ)
        self._printing = True
        self._writing = False
        self._buffer = bytearray()
        self._deadline = self._cpu_end = self._queued = 0.0
        self._answering = 0.0  # seconds of ours, spent on its questions
        self._queues = Queue(f"/proc/{process.pid}/schedstat"), Queue()  # the worker's, and our own

    def cpu(self) -> float:
        """CPU seconds of the process and its threads, from the kernel. Raises GraderFault."""
        if self.death is not None:
            return self.death.cpu
        try:
            return time.clock_gettime((~self._process.pid << 3) | 2)  # CPUCLOCK_SCHED of another process
        except OSError:
            if self._await_death(DEATH_SECONDS):
                assert self.death is not None
                return self.death.cpu
            raise GraderFault("the CPU clock of the worker cannot be read") from None

    def _queue_seconds(self) -> float:
        """Seconds in which the worker, or we who wait for it, were ready to run and had no CPU."""
        return sum(queue.seconds() for queue in self._queues)

    def clocks(self) -> tuple[float, float]:
        """The wall's clock, and the seconds in which the worker worked, or work waited for a CPU."""
        return time.monotonic() - self._answering, self.cpu() + self._queue_seconds()

    def idle_since(self, then: tuple[float, float]) -> float:
        """Seconds since `clocks()` in which it neither worked nor wanted to, nor waited for our answer."""
        try:
            wall, worked = self.clocks()
        except GraderFault:  # it is gone: nothing more to count
            return 0.0
        return max(0.0, wall - then[0] - (worked - then[1]))

    def exchange(
        self,
        header: dict[str, Any],
        blob: bytes,
        cpu_seconds: float,
        wall_seconds: float,
        answer: Answer | None = None,
    ) -> tuple[dict[str, Any], memoryview]:
        """One request, its reply, and between them the worker's own questions, put to `answer`.

        Raises TimedOut, Ended, wire.ProtocolError; the worker is then to be ended with `end`.
        """
        self._cpu_end = self.cpu() + cpu_seconds
        self._deadline = time.monotonic() + wall_seconds
        self._queued = self._queue_seconds()
        while True:
            nonce = secrets.token_hex(8)
            self._send(wire.pack({**header, "n": nonce}, blob))
            reply, data = self._receive()
            if reply.get("n") != nonce:
                raise wire.ProtocolError("a reply to nothing that was asked")
            if self._buffer:
                raise wire.ProtocolError("more than one reply")
            if answer is None or "ask" not in reply:
                return reply, data
            before = time.monotonic()
            header, blob = answer(reply, data)
            ours = time.monotonic() - before  # our own time is not the student's
            self._deadline += ours
            self._answering += ours

    def _send(self, frame: bytes) -> None:
        if self._buffer:
            raise wire.ProtocolError("a reply before any question")
        view = memoryview(frame)
        while view:
            try:
                view = view[self._socket.send(view) :]
            except BlockingIOError:
                self._wait(writing=True)
            except (BrokenPipeError, ConnectionResetError):
                self._hung_up()

    def _receive(self) -> tuple[dict[str, Any], memoryview]:
        prefix = wire.PREFIX.size
        while len(self._buffer) < prefix:
            self._wait()
        header, blob = wire.sizes(bytes(self._buffer[:prefix]), wire.REPLY)
        end = prefix + header + blob
        while len(self._buffer) < end:
            self._wait()
        raw = bytes(self._buffer[:end])
        del self._buffer[:end]
        return wire.parse_header(raw[prefix : prefix + header]), memoryview(raw)[prefix + header :]

    def _wait(self, writing: bool = False) -> None:
        """Sleeps until there is something to read (or room to write) or a clock may have run out."""
        wall = self._deadline - time.monotonic()
        if wall <= 0:
            # Time in which it wanted to run and this machine was busy with others does not count.
            queued = self._queue_seconds()
            wall += queued - self._queued
            self._deadline += queued - self._queued
            self._queued = queued
            if wall <= 0:
                raise TimedOut("wall")
        cpu = self._cpu_end - self.cpu()
        if cpu <= 0:
            raise TimedOut("cpu")
        if writing != self._writing:
            both = selectors.EVENT_READ | (selectors.EVENT_WRITE if writing else 0)
            self._selector.modify(self._socket, both)
            self._writing = writing
        # With one thread per CPU it cannot use up `cpu` seconds any sooner than this.
        for key, events in self._selector.select(min(wall, max(SHORTEST_WAIT, cpu / CPUS))):
            if key.fileobj is self._socket:
                if events & selectors.EVENT_READ:
                    self._read_socket()
            else:
                self._read_output()

    def _read_socket(self) -> None:
        try:
            data = self._socket.recv(CHUNK)
        except BlockingIOError:
            return
        except ConnectionResetError:
            data = b""
        if not data:
            self._hung_up()
        self._buffer += data
        if len(self._buffer) > wire.REPLY.header + wire.REPLY.blob + CHUNK:
            raise wire.ProtocolError("a flood of replies")

    def _hung_up(self) -> NoReturn:
        patience = min(LAST_WORDS, max(LEAST_WORDS, self._deadline - time.monotonic()))
        if self._has_ended(patience) and self._await_death(DEATH_SECONDS):
            assert self.death is not None
            raise Ended(self.death)
        if self._keeper.gone:
            raise GraderFault("the zygote is gone")
        raise wire.ProtocolError("it closed its end of the socket")

    def _read_output(self) -> bool:
        """Takes in what was printed; False when there is nothing now."""
        if not self._printing:
            return False
        try:
            data = os.read(self._process.output, 65536)
        except BlockingIOError:
            return False
        if not data:
            self._printing = False
            self._selector.unregister(self._process.output)
            return False
        self._output.add(data)
        return True

    def drain(self) -> None:
        """Takes in what is in the pipe right now, and no more than a pipe can hold."""
        for _ in range(64):
            if not self._read_output():
                break

    def _has_ended(self, seconds: float) -> bool:
        """Whether the process ends within `seconds`, by the kernel's word where it gives it."""
        if self._process.pidfd is None:
            return self._await_death(seconds)
        ready, _, _ = select.select([self._process.pidfd], [], [], seconds)
        return bool(ready)

    def _await_death(self, seconds: float) -> bool:
        if self.death is None:
            self.death = self._keeper.death_of(self._process, seconds)
        return self.death is not None

    def end(self) -> Death | None:
        """Kills it, if it still lives, and closes everything; None when nobody can tell how it ended."""
        if self._selector.get_map() is None:  # already
            return self.death
        if self.death is None:
            self._keeper.kill(self._process)
            self._await_death(DEATH_SECONDS)
        self.drain()
        self._selector.close()
        self._socket.close()
        os.close(self._process.output)
        for queue in self._queues:
            queue.close()
        if self._process.pidfd is not None:
            os.close(self._process.pidfd)
        return self.death
