"""RemoteStudent: one submission in locked-down workers. Everything that comes back is checked before it is
believed.
"""

from __future__ import annotations

import os
import re
import signal
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, NoReturn

from ..course import Limits
from ..results import Flag
from . import wire
from .answers import Answers
from .blame import fault_of_death, fault_of_reply, out_of_memory
from .calls import BaseStudent, Call, Interface, Ref
from .errors import GraderFault, StudentBadReply, StudentFault, StudentTimeout
from .keeper import Death, Keeper
from .patience import Patience
from .replies import value_of
from .session import Ended, Output, Session, TimedOut
from .tensors import load as load_tensors
from .values import Encoder, Unsendable

PROCESSES = 64  # processes and threads of all of a judge's workers together
FILE_NAME = re.compile(r"(?:[^\W\d]\w*/){0,9}[^\W\d]\w*\.py")


# A symbol that has ended its worker so often, or filled its memory, is not called any more.
DEATHS = 4
FULL = 3


class RemoteStudent(BaseStudent):
    """A submission. Its worker starts with the first call and lives until it dies, times out or `fresh()`."""

    def __init__(
        self,
        keeper: Callable[[], Keeper],
        limits: Limits,
        files: Mapping[str, bytes],
        replace: Mapping[str, bytes],
        interface: Interface,
        hung: Collection[str] = (),
        patience: Patience | None = None,
    ) -> None:
        """files: "norm.py" -> source; replace: symbol -> reference (reference.reference_for);
        hung: files whose loading is known not to end; patience: what is left for this submission.
        Raises ValueError for a file name that is no module's.
        """
        super().__init__(interface)
        for name in files:
            if not FILE_NAME.fullmatch(name):
                raise ValueError(f"{name!r} is not the name of a Python file")
        self._keeper, self._limits = keeper, limits
        self._files, self._replace = dict(files), dict(replace)
        self._session: Session | None = None
        self._life = 0
        self._loaded: set[str] = set()
        self._chance = 0
        self._stuck: set[str] = set(hung)  # symbols and files that timed out
        self._faults: dict[int, StudentFault] = {}  # how each life ended, where it was the student's doing
        self._spent = 0.0
        self._output = Output(limits.output_kb << 10)
        self._patience = patience or Patience(limits.submission_wall_seconds)
        self._ended: Counter[str] = Counter()  # symbol -> calls that ended its worker
        self._full: Counter[str] = Counter()  # symbol -> calls for which there was not enough memory
        self._given_up: dict[str, StudentFault] = {}  # symbols that are not called any more

    # -- what it has used and said --

    def cpu_seconds(self) -> float:
        """CPU seconds used by all of its workers, read from outside."""
        return self._spent + (0.0 if self._session is None else self._session.cpu())

    @property
    def output(self) -> str:  # type: ignore[override]
        """What it has printed so far, capped. Nothing when parts of it were replaced by the reference."""
        if self._replace:
            return ""
        if self._session is not None:
            self._session.drain()
        return wire.clean(self._output.kept.decode("utf-8", "replace"), self._output.cap)

    @property
    def hung_files(self) -> frozenset[str]:
        """Files whose loading did not end."""
        return frozenset(self._stuck & self._files.keys())

    def fresh(self, chance: int = 0) -> None:
        """The next call starts in a new process."""
        self._end()
        self._chance = chance

    def close(self) -> None:
        """Ends its worker."""
        self._end()

    def _end(self) -> Death | None:
        session, self._session = self._session, None
        if session is None:
            return None
        try:
            used = session.cpu()
        except GraderFault:
            used = 0.0
        death = session.end()
        used = used if death is None else death.cpu
        self._spent += used
        self._patience.spent += used
        self._loaded.clear()
        return death

    def _flag(self, what: str) -> None:
        flag = Flag(id="attack", params={"what": what})
        if flag not in self.flags:
            self.flags.append(flag)

    # -- calls --

    def number_of(self, ref: Ref) -> int:
        """See BaseStudent."""
        if ref.owner is not self:
            raise GraderFault("something kept by another submission")
        if ref.life == self._life and self._session is not None:
            return ref.number
        if (fault := self._faults.get(ref.life)) is None:
            raise GraderFault("something kept by a worker that is gone")
        if isinstance(fault, StudentTimeout):
            raise StudentTimeout(fault.clock, fault.seconds, repeated=True, loading=fault.loading)
        raise fault

    def perform(self, call: Call) -> Any:
        """See BaseStudent."""
        file = self.symbols[call.symbol]
        if call.symbol in self._stuck or file in self._stuck:
            seconds, loading = self._limits.call_cpu_seconds, file in self._stuck
            raise StudentTimeout("cpu", seconds, repeated=True, loading=loading)
        if call.symbol in self._given_up:
            raise self._given_up[call.symbol].with_traceback(None)
        try:
            return self._ask_for(call, file)
        except StudentFault as fault:
            self._ended[call.symbol] += self._session is None  # every further try would cost another worker
            self._full[call.symbol] += out_of_memory(fault)
            if self._ended[call.symbol] >= DEATHS or self._full[call.symbol] >= FULL:
                self._given_up[call.symbol] = fault
            raise

    def _ask_for(self, call: Call, file: str) -> Any:
        header, blob, answers = self._encode(call)
        self._start()
        if file not in self._loaded:
            self._ask({"op": "import", "file": file}, b"", call.symbol, file)
            self._loaded.add(file)
        reply, data = self._ask(header, blob, call.symbol, None, answers)
        try:
            value = value_of(self, self._life, call, reply["v"], load_tensors(data))
        except (wire.ProtocolError, KeyError) as error:
            self._broke_protocol(str(error))
        return call.checked(value)

    def _encode(self, call: Call) -> tuple[dict[str, Any], bytes, Answers | None]:
        """A call as header and blob, and what answers when the submission calls what it is handed."""
        asked: list[Any] = []
        encoder = Encoder(self.special(call.symbol, asked), wire.REQUEST.blob, linear=True)
        try:
            header = {
                "op": call.op,
                "target": call.target,
                "args": encoder.encode(list(call.args)),
                "kwargs": encoder.encode(dict(call.kwargs)),
                "keep": call.keep,
                **{k: encoder.encode(v) if k in ("state", "cotangent") else v for k, v in call.extra.items()},
            }
            answers = Answers(self.interface.callbacks[call.symbol], asked) if asked else None
            return header, encoder.blob(), answers
        except Unsendable as error:
            raise GraderFault(f"an argument that cannot be sent: {error}") from None

    def _start(self) -> None:
        """Makes sure that there is a worker. Raises StudentTimeout when there is no time left for it."""
        budget = self._limits.submission_cpu_seconds
        try:
            used = self.cpu_seconds()
        except GraderFault:  # its zygote is gone: the next call may find another
            self._end()
            raise
        if used >= budget:
            self._end()
            self._fail(StudentTimeout("cpu", budget, repeated=True))
        if self._left() <= 0:
            self._end()
            self._fail(self._no_time())
        if self._session is not None:
            return
        self._life += 1
        self.dropped.clear()
        backstop = int(budget + self._limits.call_cpu_seconds) + 2
        keeper = self._keeper()
        process = keeper.spawn(backstop, self._limits.memory_mb, PROCESSES)
        self._session = Session(keeper, process, self._output)
        header = {
            "symbols": self.symbols,
            "files": [[name, len(source)] for name, source in self._files.items()],
            "replace": [[name, len(code)] for name, code in self._replace.items()],
            "hung": sorted(self.hung_files),
            "chance": self._chance,
            "callbacks": {name: form.plain() for name, form in self.interface.callbacks.items()},
        }
        blob = b"".join([*self._files.values(), *self._replace.values()])
        self._ask(header, blob, "", None)

    def _left(self) -> float:
        """Seconds that the submission has left. Raises GraderFault."""
        return self._patience.left - (0.0 if self._session is None else self._session.cpu())

    def _no_time(self) -> StudentTimeout:
        return StudentTimeout("submission", self._limits.submission_wall_seconds)

    def _ask(
        self,
        header: dict[str, Any],
        blob: bytes,
        symbol: str,
        file: str | None,
        answers: Answers | None = None,
    ) -> tuple[dict[str, Any], memoryview]:
        """One exchange; every way it can go wrong becomes an error of errors.py. `file`: the one being
        loaded.
        """
        session = self._session
        assert session is not None
        limits = self._limits
        left = self._left()
        cpu = min(limits.call_cpu_seconds, limits.submission_cpu_seconds - self.cpu_seconds(), left)
        wall = min(limits.call_wall_seconds, left)
        drop = [number for life, number in self.dropped if life == self._life]
        self.dropped.clear()
        full = {"keep": False, **header, "symbol": symbol, "drop": drop}
        clocks = session.clocks()
        try:
            try:
                reply, data = session.exchange(full, blob, cpu, wall, answers)
            finally:
                self._patience.spent += session.idle_since(clocks)
        except TimedOut as error:
            if (cpu if error.clock == "cpu" else wall) >= left:
                self._end()
                self._fail(self._no_time())
            self._stuck.add(file or symbol)
            self._timed_out(error, cpu, loading=file is not None)
        except Ended as error:
            self._died(error.death)
        except wire.ProtocolError as error:
            self._broke_protocol(str(error))
        except BaseException:  # half an exchange: whatever stopped it, this worker is out of step
            self._end()
            raise
        if reply.get("ok") is not True:
            self._failed(reply, symbol, "call" if file is None else "load")
        return reply, data

    # -- what can go wrong --

    def _timed_out(self, error: TimedOut, cpu: float, loading: bool) -> NoReturn:
        self._end()
        seconds = self._limits.call_wall_seconds if error.clock == "wall" else cpu
        self._fail(StudentTimeout(error.clock, round(seconds, 3), loading=loading))

    def _died(self, death: Death) -> NoReturn:
        self._end()
        if -os.waitstatus_to_exitcode(death.status) == signal.SIGSYS:
            self._flag("a forbidden system call")
        self._fail(fault_of_death(death, self._limits))

    def _broke_protocol(self, why: str) -> NoReturn:
        self._flag("bad protocol")
        self._end()
        self._fail(StudentBadReply(f"its process did not keep to the protocol: {wire.clean(why, 200)}"))

    def _fail(self, fault: StudentFault) -> NoReturn:
        self._faults[self._life] = fault
        raise fault

    def _failed(self, reply: dict[str, Any], symbol: str, where: Literal["load", "call"]) -> NoReturn:
        """A reply that says why there is no value."""
        try:
            fault = fault_of_reply(reply, symbol, where, self._files, self.symbols, self._limits)
        except wire.ProtocolError as error:
            self._broke_protocol(str(error))
        raise fault
