"""What can go wrong when student code is called: a tree whose first fork says whose fault it is.

CallFailed                 the call gave no value
├── StudentFault           the student's: becomes a verdict
│   ├── StudentRaised      their code raised (NotWritten when it is a stub's NotImplementedError)
│   ├── StudentTimeout     their code used up its CPU seconds, or slept past the wall clock
│   ├── StudentDied        their process ended (exit, signal, memory, CPU limit of the kernel)
│   └── StudentBadReply    a value that cannot cross the wire, or bytes that are not the protocol
└── GraderFault            ours: never costs a student points
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


class CallFailed(Exception):
    """A call into a submission gave no value."""


class StudentFault(CallFailed):
    """The submission's doing."""


@dataclass
class Place:
    """Where in the student's own files it happened (the innermost frame that is theirs)."""

    file: str  # "norm.py"
    line: int  # from 1
    text: str  # the line itself, stripped; "" when unknown


class StudentRaised(StudentFault):
    """The student's code raised `kind` (class name) with `text` (capped)."""

    def __init__(self, kind: str, text: str, place: Place | None, where: Literal["load", "call"]) -> None:
        super().__init__(f"{kind}: {text}")
        self.kind, self.text, self.place, self.where = kind, text, place, where


class NotWritten(StudentRaised):
    """A stub was reached. `symbol` is the one that is not written, which may be an earlier exercise's.

    `returned`: what it gave back, in words of Python, when it did not say itself that it is a stub.
    """

    def __init__(self, symbol: str, place: Place | None, returned: str | None = None) -> None:
        super().__init__("NotImplementedError", symbol, place, "call")
        self.symbol, self.returned = symbol, returned


class StudentTimeout(StudentFault):
    """Used up `seconds` of `clock`; "submission": all that one submission may take. `repeated`: not run
    again, because the same symbol timed out before. `loading`: its file did, before any call."""

    def __init__(
        self,
        clock: Literal["cpu", "wall", "submission"],
        seconds: float,
        repeated: bool = False,
        loading: bool = False,
    ) -> None:
        super().__init__(f"no answer within {seconds:g} s ({clock})")
        self.clock, self.seconds, self.repeated, self.loading = clock, seconds, repeated, loading


class StudentDied(StudentFault):
    """The worker ended: `how` is "exit", "signal", "memory" or "cpu"; `code` the exit code or signal."""

    def __init__(self, how: Literal["exit", "signal", "memory", "cpu"], code: int) -> None:
        super().__init__(f"the process ended ({how} {code})")
        self.how, self.code = how, code


class StudentBadReply(StudentFault):
    """What came back is not plain tensors, numbers, strings, tuples, lists or dicts of them."""


class GraderFault(CallFailed):
    """The sandbox itself failed (zygote gone, lock-down refused): run again or tell a person."""
