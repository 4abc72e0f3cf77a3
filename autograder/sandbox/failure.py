"""What an exception of student code means, as plain data: used in the worker and by LocalStudent."""

from __future__ import annotations

import dis
from collections.abc import Callable, Collection
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Literal

RAISE = dis.opmap["RAISE_VARARGS"]
MAX_KIND = 80
MAX_TEXT = 400
MAX_FRAMES = 100_000

Fault = Literal["raised", "not_written", "unsendable", "hung"]


class Missing(Exception):
    """The submission has no such name."""

    def __init__(self, symbol: str) -> None:
        super().__init__(symbol)
        self.symbol = symbol


class FileHung(Exception):
    """This file used up its time when it was loaded before; it is not loaded again."""


@dataclass(frozen=True)
class Failure:
    """Why there is no value. `file` and `line` say where in the student's own files, when that is known."""

    fault: Fault
    kind: str
    text: str
    file: str | None = None
    line: int | None = None
    symbol: str | None = None


def describe(
    error: BaseException, called: str, own_file: Callable[[str], str | None], symbols: Collection[str]
) -> Failure:
    """An exception -> Failure.

    called: the symbol that was asked for; own_file: co_filename -> the student's file name, None for foreign
    code; symbols: the names of exercises, to tell which one a stub belongs to.
    """
    if isinstance(error, Missing):
        return Failure("not_written", "NotImplementedError", error.symbol, symbol=error.symbol)
    if isinstance(error, FileHung):
        return Failure("hung", "FileHung", _text(error))
    steps = _own_steps(error.__traceback__, own_file)
    file, line = (steps[-1][0], steps[-1][1]) if steps else (None, None)
    if isinstance(error, SyntaxError) and isinstance(error.filename, str) and own_file(error.filename):
        file, line = own_file(error.filename), error.lineno or 1  # 0: the file as a whole, a coding line
    if isinstance(error, NotImplementedError) and _is_stub(error.__traceback__, own_file):
        owner = next((name for _, _, name in reversed(steps) if name in symbols), called)
        return Failure("not_written", "NotImplementedError", owner, file, line, owner)
    return Failure("raised", type(error).__name__[:MAX_KIND], _text(error), file, line)


def _text(error: BaseException) -> str:
    try:
        return str(error)[:MAX_TEXT]
    except BaseException as again:  # their __str__ may raise anything, KeyboardInterrupt too
        return f"(no text: {type(again).__name__[:MAX_KIND]})"


def _own_steps(
    trace: TracebackType | None, own_file: Callable[[str], str | None]
) -> list[tuple[str, int, str]]:
    """(file, line, outermost name: "layer_norm", "FeedForward") of each frame in the student's
    files.
    """
    steps: list[tuple[str, int, str]] = []
    for _ in range(MAX_FRAMES):
        if trace is None:
            break
        code = trace.tb_frame.f_code
        if (file := own_file(code.co_filename)) is not None:
            steps.append((file, trace.tb_lineno or 0, _outermost(trace.tb_frame)))
        trace = trace.tb_next
    return steps


def _outermost(frame: FrameType) -> str:
    """The class or function that a frame's code belongs to."""
    return frame.f_code.co_qualname.partition(".")[0]


def _is_stub(trace: TracebackType | None, own_file: Callable[[str], str | None]) -> bool:
    """Whether a `raise` in the student's file did it. torch raises NotImplementedError for its own reasons
    too.
    """
    if trace is None:
        return False
    for _ in range(MAX_FRAMES):
        if trace.tb_next is None:
            break
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    if code.co_name == "_forward_unimplemented":  # an nn.Module whose forward is gone
        return True
    return own_file(code.co_filename) is not None and code.co_code[trace.tb_lasti] == RAISE
