"""A student who debugs: the clock stands still, `q` ends the run, `--pdb` shows their own line."""

from __future__ import annotations

import bdb
import os
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from exercises.selfcheck import debugging, timelimit
from exercises.selfcheck.timelimit import TimeLimit, limited
from tests.exercises.run import ROOT, folder

SECONDS = 0.05  # of work; SLEEPY times as many of the clock


def busy() -> str:
    end = time.process_time() + 4 * SECONDS
    while time.process_time() < end:
        pass
    return "done"


def asleep() -> str:
    end = time.monotonic() + 2 * SECONDS * timelimit.SLEEPY
    while time.monotonic() < end:
        time.sleep(0.01)
    return "done"


def ended(call: Callable[[], str]) -> str:
    """What call() gives under the limit, or "stopped"."""
    try:
        return limited(call, SECONDS, lambda: None)
    except TimeLimit:
        return "stopped"


def in_module(name: str, call: Callable[[], str]) -> Callable[[], str]:
    """A function of a module of that name, which calls call()."""
    module = types.ModuleType(name)
    exec("def wait(call):\n    return call()\n", module.__dict__)
    return lambda: str(module.__dict__["wait"](call))


class Stepping(bdb.Bdb):
    """A debugger in which a person says `n` at every line."""

    def user_line(self, frame: types.FrameType) -> None:
        self.set_next(frame)


@pytest.fixture
def attached() -> Iterator[None]:
    name = "_pydevd_bundle.pydevd_constants"
    module = types.ModuleType(name)
    module.get_global_debugger = lambda: object()  # type: ignore[attr-defined]
    sys.modules[name] = module
    yield
    del sys.modules[name]


def test_without_a_debugger_the_clock_runs() -> None:
    assert ended(busy) == "stopped"
    assert ended(asleep) == "stopped"


@pytest.mark.parametrize(
    "name", ["pdb", "ipdb", "IPython.terminal.embed", "code", "pudb.debugger", "pydevd", "debugpy.server.api"]
)
def test_the_clock_stands_still_while_a_debugger_asks(name: str) -> None:
    assert ended(in_module(name, busy)) == "done"
    assert ended(in_module(name, asleep)) == "done"


def test_whoever_started_the_run_does_not_stop_the_clock() -> None:
    assert in_module("IPython.core.interactiveshell", lambda: ended(busy))() == "stopped"


def test_the_clock_stands_still_while_a_debugger_steps() -> None:
    assert Stepping().runcall(lambda: ended(busy)) == "done"


def test_measuring_coverage_is_not_debugging() -> None:
    module = types.ModuleType("coverage.pytracer")
    exec("__name__ = 'coverage.pytracer'\ndef trace(frame, event, arg):\n    return trace\n", module.__dict__)
    before = sys.gettrace()
    sys.settrace(module.__dict__["trace"])
    try:
        assert ended(busy) == "stopped"
    finally:
        sys.settrace(before)


@pytest.mark.usefixtures("attached")
def test_the_clock_stands_still_when_an_editor_has_attached_itself() -> None:
    assert ended(busy) == "done"
    assert ended(asleep) == "done"


def test_the_clock_stands_still_while_the_code_asks_for_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debugging, "_input", lambda prompt: asleep())
    monkeypatch.setattr("builtins.input", input)
    debugging.watch_input()
    assert ended(lambda: input("? ")) == "done"


def test_a_suspended_run_goes_on_when_it_wakes_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = time.monotonic
    woken = threading.Event()

    def later() -> float:
        return clock() + 3600 * woken.is_set()

    def suspended() -> str:
        woken.set()
        time.sleep(SECONDS)
        return "done"

    monkeypatch.setattr(timelimit.time, "monotonic", later)
    monkeypatch.setattr(timelimit, "TICK", SECONDS / 4)
    assert ended(suspended) == "done"


BREAK = """
def split_heads(x, n_head):
    B, n, d = x.shape
    breakpoint()
    return x.reshape(B, n, n_head, d // n_head).transpose(1, 2)
"""
RAISES = """
def helper(x):
    mine = 42
    return torch.nn.functional.softmax(x, dim="a")


def causal_softmax(scores, causal=True):
    return helper(scores)
"""
pexpect = pytest.importorskip("pexpect") if os.name == "posix" else None


def session(*args: str) -> Any:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTEST_ADDOPTS", "EXERCISES_LANG")}
    command = ["-m", "pytest", "-p", "no:cacheprovider", *args]
    return pexpect.spawn(
        sys.executable, command, cwd=ROOT, env={**environment, "TERM": "dumb"}, encoding="utf-8", timeout=120
    )


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a terminal")
def test_breakpoint_waits_for_a_person_and_quits(tmp_path: Path) -> None:
    code = folder(tmp_path / "code", {"heads.py": BREAK})
    p = session("exercises/test_heads.py", "-k", "slice", "--seconds", "0.2", "--code", str(code))
    p.expect_exact("(Pdb) ")
    time.sleep(2)  # more than 6 times 0.2
    p.sendline("p tuple(x.shape)")
    p.expect_exact("(1, 3, 4)")
    p.sendline("q")
    p.expect(pexpect.EOF)
    assert "Quitting debugger" in p.before
    assert "endless" not in p.before
    assert "not right" not in p.before


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a terminal")
def test_pdb_begins_in_the_students_line(tmp_path: Path) -> None:
    code = folder(tmp_path / "code", {"mask.py": RAISES})
    (code / "heads.py").write_text((ROOT / "exercises/heads.py").read_text("utf-8"), encoding="utf-8")
    p = session("exercises/", "-k", "slice or share_equally", "--pdb", "--code", str(code))
    p.expect_exact("(Pdb) ")
    assert "mask.py" in p.before  # not in heads.py, which is only not written
    p.sendline("p mine")
    p.expect_exact("42")
    p.sendline("u")
    p.expect_exact("return helper(scores)")
    p.sendline("u")
    p.expect_exact("test_equal_scores_share_equally")
    p.sendline("q")
    p.expect(pexpect.EOF)
    assert "Quitting debugger" in p.before


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a terminal")
def test_trace_steps_from_the_test_into_the_students_function(tmp_path: Path) -> None:
    code = folder(tmp_path / "code", {})
    p = session("exercises/test_heads.py", "-k", "own_slice", "--trace", "--code", str(code))
    p.expect_exact("(Pdb) ")
    for command, place in (
        ("n", "heads = split_heads"),
        ("s", "heads.py"),
        ("r", "-> return"),
        ("n", "expected ="),
    ):
        p.sendline(command)
        p.expect_exact(place)
        p.expect_exact("(Pdb) ")
    p.sendline("q")
    p.expect(pexpect.EOF)
