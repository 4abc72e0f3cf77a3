"""Students debug: the clock stops while they do, `q` ends the run, and a debugger shows their own lines."""

from __future__ import annotations

import bdb
import builtins
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import CodeType, FrameType, TracebackType
from typing import Any

import pytest

QUIT = (bdb.BdbQuit, pytest.exit.Exception)  # a person ended the debugger: no mistake of the code

# Modules whose functions wait for a person, by the first part of their name.
DEBUGGERS = {
    "pdb", "bdb", "cmd", "code", "ipdb", "pdbpp", "pudb", "wdb", "rpdb", "remote_pdb", "web_pdb", "IPython",
    "debugpy", "pydevd", "_pydevd_bundle",
}  # fmt: skip
# What lies between a test and the student's function, and torch: `s` (step) goes through without a stop.
STEPPED_OVER = (
    "exercises.selfcheck*", "_pytest*", "pluggy*", "torch*", "threading", "_weakrefset", "contextlib",
    "inspect", "ctypes*", "importlib*", "functools", "enum", "abc", "typing", "collections*", "re*",
    "ast", "tokenize", "codecs", "pathlib", "posixpath", "ntpath", "warnings",
)  # fmt: skip
ASKS = re.compile(r"\b(?:input\s*\(|IPython|ipdb|pudb|code\.interact|stdin)")


def held(thread: int, below: CodeType) -> bool:
    """Whether a debugger is attached, steps through that thread, or waits there for a person.

    `below`: the function under which the student's code runs; who called that does not matter.
    """
    if _attached():
        return True
    frame = sys._current_frames().get(thread)
    inside = True
    while frame is not None:
        inside = inside and frame.f_code is not below
        if inside and (frame.f_code is _asked.__code__ or _module(frame) in DEBUGGERS):
            return True
        if frame.f_trace is not None and not _measures(frame.f_trace):
            return True
        frame = frame.f_back
    return False


def _attached() -> bool:
    """VS Code, PyCharm and the like: they may have attached themselves at any time."""
    constants = sys.modules.get("_pydevd_bundle.pydevd_constants")
    if constants is not None and getattr(constants, "get_global_debugger", lambda: None)() is not None:
        return True
    monitoring = getattr(sys, "monitoring", None)  # from Python 3.12 on
    return monitoring is not None and monitoring.get_tool(monitoring.DEBUGGER_ID) is not None


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _measures(tracer: Any) -> bool:
    """Coverage traces too, and no person waits for it."""
    return str(getattr(tracer, "__module__", None) or type(tracer).__module__).startswith("coverage")


_input: Callable[..., str] = builtins.input


def _asked(prompt: object = "", /) -> str:
    return _input(prompt)


def watch_input() -> None:
    """From now on `held` sees who waits in input()."""
    builtins.input = _asked


def asks_for_input(files: Iterable[Path]) -> bool:
    """Whether one of the student's files mentions something that talks to a person."""
    for path in files:
        try:
            if ASKS.search(path.read_text(encoding="utf-8", errors="replace")):
                return True
        except OSError:
            continue
    return False


def stop_capturing(config: pytest.Config) -> None:
    """As if -s had been given, when a person sits at the terminal."""
    manager = config.pluginmanager.getplugin("capturemanager")
    if manager is None or not manager.is_globally_capturing():
        return
    manager.suspend_global_capture(in_=True)
    if sys.stdin is not None and sys.stdin.isatty():
        manager.stop_global_capturing()
        manager._method = "no"
        manager.start_global_capturing()
    else:
        manager.resume_global_capture()


def own_lines(error: BaseException, tests: Path, own: Callable[[Path], bool]) -> TracebackType | None:
    """The traceback for `--pdb`: from the test to the innermost of the student's lines, nothing of the kit's.

    tests: the folder of the public tests; own: whether a file is the student's.
    """
    chain = list(_causes(error))
    in_test = (tb for tb in _steps(chain[0]) if _file(tb).parent == tests)
    frames = [tb for tb in in_test if _file(tb).name.startswith("test_")]
    for one in reversed(chain):
        inner = [tb for tb in _steps(one) if own(_file(tb))]
        if inner:
            frames += inner
            break
    made: TracebackType | None = None
    for tb in reversed(frames):
        made = TracebackType(made, tb.tb_frame, tb.tb_lasti, tb.tb_lineno)
    return made


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or one.__context__


def _steps(error: BaseException) -> Iterator[TracebackType]:
    tb = error.__traceback__
    while tb is not None:
        yield tb
        tb = tb.tb_next


def _file(tb: TracebackType) -> Path:
    return Path(tb.tb_frame.f_code.co_filename)
