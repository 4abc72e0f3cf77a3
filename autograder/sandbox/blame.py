"""What a worker says of its failure, or the kernel of its death -> the errors of errors.py."""

from __future__ import annotations

import os
import signal
from collections.abc import Collection, Mapping
from typing import Any, Literal

from ..course import Limits
from ..lines import line_of
from . import wire
from .errors import (
    NotWritten,
    Place,
    StudentBadReply,
    StudentDied,
    StudentFault,
    StudentRaised,
    StudentTimeout,
)
from .failure import MAX_KIND, MAX_TEXT
from .keeper import Death

MAX_LINE = 200


def fault_of_death(death: Death, limits: Limits) -> StudentDied:
    """How a worker that nobody ended came to its end."""
    code = os.waitstatus_to_exitcode(death.status)
    if code >= 0:
        return StudentDied("exit", code)
    number = -code
    backstop = limits.submission_cpu_seconds + limits.call_cpu_seconds
    if number == signal.SIGXCPU or (number == signal.SIGKILL and death.cpu >= backstop):
        return StudentDied("cpu", number)
    return StudentDied("memory" if number == signal.SIGKILL else "signal", number)


def fault_of_reply(
    reply: Mapping[str, Any],
    symbol: str,
    where: Literal["load", "call"],
    files: Mapping[str, bytes],
    symbols: Collection[str],
    limits: Limits,
) -> StudentFault:
    """A reply without a value -> the fault. It can lie only about itself. Raises wire.ProtocolError.

    symbol: the one that was asked for; files: the submission's own, to find the line of text.
    """
    kind, text = reply.get("kind"), reply.get("text")
    if type(kind) is not str or type(text) is not str or reply.get("ok") is not False:
        raise wire.ProtocolError("failure form")
    kind, text = wire.clean(kind, MAX_KIND), wire.clean(text, MAX_TEXT)
    place = _place(reply.get("file"), reply.get("line"), files)
    match reply.get("fault"):
        case "not_written":
            owner = reply.get("symbol")
            return NotWritten(owner if type(owner) is str and owner in symbols else symbol, place)
        case "unsendable":
            return StudentBadReply(text)
        case "hung":
            return StudentTimeout("cpu", limits.call_cpu_seconds, repeated=True)
        case "raised":
            return StudentRaised(kind, text, place, where)
    raise wire.ProtocolError("failure form")


def out_of_memory(fault: StudentFault) -> bool:
    """Whether a call failed because its process could have no more memory (see torch's alloc_cpu.cpp)."""
    return isinstance(fault, StudentRaised) and (
        fault.kind == "MemoryError" or "allocate memory" in fault.text or "alloc_cpu" in fault.text
    )


def _place(file: object, line: object, files: Mapping[str, bytes]) -> Place | None:
    """Where it happened, as far as it can be true."""
    if type(file) is not str or type(line) is not int or file not in files or line < 1:
        return None
    text = line_of(files[file], line)
    return None if text is None else Place(file, line, wire.clean(text, MAX_LINE))
