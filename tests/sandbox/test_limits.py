"""Clocks, deaths, floods and fresh starts of a submission's worker."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
import torch

from autograder.assignment import load_assignment
from autograder.course import Limits
from autograder.sandbox import (
    GraderFault,
    RemoteStudent,
    Sandbox,
    StudentBadReply,
    StudentDied,
    StudentFault,
    StudentRaised,
    StudentTimeout,
)
from autograder.sandbox.calls import Interface

X = torch.zeros(1, 2, 6)
GOOD = b"def split_heads(x, n_head):\n    return x\n\ndef merge_heads(y):\n    return y\n"


def heads(sandbox: Sandbox, split: str, before: str = "") -> RemoteStudent:
    """A submission whose split_heads has this body."""
    text = f"import os, time, signal, torch\n{before}\ndef split_heads(x, n_head):\n"
    text += "".join(f"    {line}\n" for line in split.splitlines())
    return sandbox.student({"heads.py": (text + "\ndef merge_heads(y):\n    return y\n").encode()})


def test_a_loop_is_ended_by_its_cpu_clock_and_not_run_again(sandbox: Sandbox) -> None:
    with heads(sandbox, "while True: pass") as student:
        with pytest.raises(StudentTimeout) as first:
            student.split_heads(X, 3)
        assert (first.value.clock, first.value.repeated) == ("cpu", False)
        used = student.cpu_seconds()
        assert used >= sandbox.limits.call_cpu_seconds
        with pytest.raises(StudentTimeout) as second:
            student.split_heads(X, 3)
        assert second.value.repeated
        assert student.cpu_seconds() == used
        assert student.merge_heads(X).equal(X)


def test_a_sleeper_is_ended_by_the_wall_clock(sandbox: Sandbox) -> None:
    with heads(sandbox, "time.sleep(10**6)") as student:
        with pytest.raises(StudentTimeout) as caught:
            student.split_heads(X, 3)
        assert caught.value.clock == "wall"
        assert student.cpu_seconds() < sandbox.limits.call_cpu_seconds


def test_a_file_that_does_not_load_in_time_stops_its_importers_too(sandbox: Sandbox) -> None:
    files = {
        "heads.py": b"while True: pass\n",
        "attention.py": b"import exercises.heads\ndef concat_and_project(y, c_proj):\n    return y\n",
        "mask.py": b"def causal_mask(n_query, n_key=None, device=None):\n    return 1\n",
    }
    with sandbox.student(files) as student:
        with pytest.raises(StudentTimeout):
            student.split_heads(X, 3)
        for call in (
            lambda: student.split_heads(X, 3),
            lambda: student.merge_heads(X),
            lambda: student.concat_and_project(X, torch.nn.Linear(1, 1)),
        ):
            used = student.cpu_seconds()
            with pytest.raises(StudentTimeout) as caught:
                call()
            assert caught.value.repeated
            assert student.cpu_seconds() - used < sandbox.limits.call_cpu_seconds
        assert student.causal_mask(1) == 1


@pytest.mark.parametrize("before", ["time.sleep(10**6)", "while True: pass"])
def test_what_does_not_end_while_it_is_loaded_is_told_as_that(sandbox: Sandbox, before: str) -> None:
    with heads(sandbox, "return x", before) as student:
        with pytest.raises(StudentTimeout) as first:
            student.split_heads(X, 3)
        with pytest.raises(StudentTimeout) as second:
            student.merge_heads(X)
        assert (first.value.loading, second.value.loading) == (True, True)
    with heads(sandbox, before) as student:
        with pytest.raises(StudentTimeout) as caught:
            student.split_heads(X, 3)
        assert not caught.value.loading


def test_the_budget_of_a_whole_submission(sandbox: Sandbox) -> None:
    limits = Limits(call_cpu_seconds=0.4, call_wall_seconds=10, submission_cpu_seconds=0.6)
    text = b"def split_heads(x, n_head):\n    while True: pass\ndef merge_heads(y):\n    while True: pass\n"
    student = RemoteStudent(sandbox.running, limits, {"heads.py": text}, {}, Interface.of(load_assignment()))
    with student:
        with pytest.raises(StudentTimeout):
            student.split_heads(X, 3)
        with pytest.raises(StudentTimeout):
            student.merge_heads(X)
        with pytest.raises(StudentTimeout) as caught:
            student.causal_mask(3)
        assert caught.value.repeated
        assert student.cpu_seconds() < 1.5


@pytest.mark.parametrize(
    ("body", "how", "code"),
    [
        ("os._exit(3)", "exit", 3),
        ("os._exit(0)", "exit", 0),
        ("import ctypes; ctypes.string_at(0)", "signal", signal.SIGSEGV),
    ],
)
def test_how_a_worker_died(sandbox: Sandbox, body: str, how: str, code: int) -> None:
    with heads(sandbox, body) as student:
        with pytest.raises(StudentDied) as caught:
            student.split_heads(X, 3)
        assert (caught.value.how, caught.value.code) == (how, code)
        assert student.merge_heads(X).equal(X)


def test_who_dies_in_every_call_is_not_called_for_ever(sandbox: Sandbox) -> None:
    with heads(sandbox, "os._exit(3)") as student:
        for _ in range(10):
            with pytest.raises(StudentDied):
                student.split_heads(X, 3)
        workers = student._life
        assert workers < 10
        with pytest.raises(StudentDied):
            student.split_heads(X, 3)
        assert student._life == workers
        assert student.merge_heads(X).equal(X), "what else there is goes on"


def test_killed_from_outside_looks_like_memory(sandbox: Sandbox) -> None:
    with heads(sandbox, "time.sleep(100)") as student:
        student.merge_heads(X)
        assert student._session is not None
        os.kill(student._session._process.pid, signal.SIGKILL)
        with pytest.raises(StudentDied) as caught:
            student.split_heads(X, 3)
        assert caught.value.how == "memory"


def test_references_die_with_their_worker(sandbox: Sandbox) -> None:
    text = b"""
import os
def attend_with_cache(attention, x, cache=None):
    if x.sum() > 0: os._exit(1)
    return x, (x, x)
"""
    with sandbox.student({"kv_cache.py": text}) as student:
        _, cache = student.attend_with_cache(None, X, None)
        with pytest.raises(StudentDied):
            student.attend_with_cache(None, X + 1, cache)
        with pytest.raises(StudentDied):
            student.attend_with_cache(None, X, cache)
        with pytest.raises(StudentDied):
            cache.tensors()
        _, again = student.attend_with_cache(None, X, None)
        assert again.tensors()[0].equal(X)


def test_memory_has_an_end(sandbox: Sandbox) -> None:
    with heads(sandbox, "return torch.ones(1 << 33)") as student:
        with pytest.raises(StudentRaised, match="alloc|memory"):
            student.split_heads(X, 3)
        assert student.merge_heads(X).equal(X)


def test_a_reply_has_an_end(sandbox: Sandbox) -> None:
    with heads(sandbox, "return torch.zeros(1 << 25)") as student, pytest.raises(StudentBadReply):
        student.split_heads(X, 3)


def test_what_is_printed_is_kept_up_to_a_limit(sandbox: Sandbox) -> None:
    with heads(
        sandbox, "print('h\\u00e9llo \\x1b[2J' + 'x' * 10**6)\nos.write(2, bytes([255]))\nreturn x"
    ) as student:
        student.split_heads(X, 3)
        assert student.output.startswith("héllo \N{REPLACEMENT CHARACTER}[2Jxxx")
        assert len(student.output) <= sandbox.limits.output_kb << 10


def test_printing_between_calls_does_not_get_lost(sandbox: Sandbox) -> None:
    with heads(sandbox, "print('one')\nreturn x", "print('loaded')") as student:
        student.split_heads(X, 3)
        student.split_heads(X, 3)
        assert student.output == "loaded\none\none\n"


def test_fresh_forgets_what_code_remembers(sandbox: Sandbox) -> None:
    with heads(sandbox, "seen.append(1)\nreturn len(seen)", "seen = []") as student:
        assert [student.split_heads(X, 3), student.split_heads(X, 3)] == [1, 2]
        used = student.cpu_seconds()
        student.fresh()
        assert student.split_heads(X, 3) == 1
        assert student.cpu_seconds() > used


def test_the_cpu_clock_counts_work_and_not_sleep(sandbox: Sandbox) -> None:
    with heads(
        sandbox, "if n_head == 1: time.sleep(0.5)\nelse:\n    while time.process_time() < 0.3: pass\nreturn x"
    ) as s:
        s.merge_heads(X)
        start = s.cpu_seconds()
        s.split_heads(X, 1)
        slept = s.cpu_seconds() - start
        s.split_heads(X, 2)
        worked = s.cpu_seconds() - start - slept
        assert slept < worked


def test_two_submissions_at_once_do_not_meet(sandbox: Sandbox) -> None:
    one = heads(sandbox, "return 1", "import sys; sys.modules['mark'] = 1")
    two = heads(sandbox, "import sys; return 2 + ('mark' in sys.modules)")
    with one, two:
        assert [one.split_heads(X, 1), two.split_heads(X, 1), one.split_heads(X, 1)] == [1, 2, 1]


def test_the_judges_own_mistake_ends_the_worker_and_comes_out(sandbox: Sandbox) -> None:
    class Broken:
        n_positions = 4

        def __call__(self, ids: object, cache: object = None, start: int = 0) -> object:
            raise AssertionError("a check of the judge's")

    text = b"def generate(model, ids, max_new_tokens, use_cache=True):\n    return model(ids)\n"
    with sandbox.student({"kv_cache.py": text}) as student:
        with pytest.raises(AssertionError, match="a check"):
            student.generate(Broken(), torch.tensor([[1]]), 1)
        with pytest.raises(StudentFault):
            student.generate("no model", torch.tensor([[1]]), 1)


@pytest.mark.parametrize(
    "fed",
    [
        "None",
        "torch.zeros(1, 2)",
        "torch.zeros(2).long()",
        "'ids'",
        "[[1], [2, 3]]",
        "[[1.5]]",
        "torch.ones(1, 2, device='meta').long()",
        "torch.ones(1, 1 << 20).long()",
    ],
)
def test_a_model_is_not_fed_what_is_no_ids(sandbox: Sandbox, fed: str) -> None:
    class Careless:
        n_positions = 4

        def __call__(self, ids: torch.Tensor, cache: object = None, start: int = 0) -> object:
            raise AssertionError("this must not be reached")

    text = (
        f"import torch\ndef generate(model, ids, max_new_tokens, use_cache=True):\n    return model({fed})\n"
    )
    with (
        sandbox.student({"kv_cache.py": text.encode()}) as student,
        pytest.raises(StudentRaised, match="model"),
    ):
        student.generate(Careless(), torch.tensor([[1]]), 1)


def test_a_model_is_not_called_without_end(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    class Model:
        n_positions = 4
        calls = 0

        def __call__(self, ids: torch.Tensor, cache: object = None, start: int = 0) -> object:
            Model.calls += 1
            return None

    monkeypatch.setattr("autograder.sandbox.answers.MAX_ASKS", 10)
    text = b"def generate(model, ids, max_new_tokens, use_cache=True):\n    while True: model(ids)\n"
    with (
        sandbox.student({"kv_cache.py": text}) as student,
        pytest.raises(StudentRaised, match="more than 10 times"),
    ):
        student.generate(Model(), torch.tensor([[1]]), 1)
    assert Model.calls == 10


def test_who_goes_on_asking_is_not_answered(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    class Model:
        n_positions = 4

        def __call__(self, ids: torch.Tensor, cache: object = None, start: int = 0) -> object:
            return None

    monkeypatch.setattr("autograder.sandbox.answers.MAX_ASKS", 10)
    monkeypatch.setattr("autograder.sandbox.answers.FLOOD", 20)
    text = (
        b"def generate(model, ids, max_new_tokens, use_cache=True):\n    while True:\n"
        b"        try: model(ids)\n        except RuntimeError: pass\n"
    )
    with (
        sandbox.student({"kv_cache.py": text}) as student,
        pytest.raises(StudentBadReply, match="called 21 times"),
    ):
        student.generate(Model(), torch.tensor([[1]]), 1)


def test_a_dead_zygote_is_the_graders_fault_and_starts_again() -> None:
    from tests.sandbox.conftest import start

    with start("auto") as sandbox, sandbox.student({"heads.py": GOOD}) as student:
        assert student.split_heads(X, 3).equal(X)
        pid = sandbox.running().pid
        os.kill(pid, signal.SIGKILL)
        while Path(f"/proc/{pid}").exists():
            time.sleep(0.01)
        time.sleep(0.1)
        with pytest.raises(GraderFault):
            student.split_heads(X, 3)
        assert student.split_heads(X, 3).equal(X)
        assert sandbox.student({"heads.py": GOOD}).merge_heads(X).equal(X)
