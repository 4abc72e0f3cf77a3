"""Names that are given for what a step costs: only by measurements that are sure, on a busy machine too."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from autograder.assignment import load_assignment
from autograder.chapter04.diagnosis import cached
from autograder.diagnosis.confusion import read_style
from autograder.diagnosis.entries import catalogue
from autograder.diagnosis.matching import Answers, match
from autograder.diagnosis.mutants import local_student, plant
from autograder.diagnosis.probe import UNSURE
from tests.chapter04.pieces import SOLUTIONS

COURSE = load_assignment()
LIST = """
def attend_with_cache(attention, x_new, cache=None):
    \"\"\"A list of single tokens: a step collects much, and works through none of the past anew.\"\"\"
    q, k, v = attention.c_attn(x_new).chunk(3, dim=-1)
    keys, values = (list(cache[0]), list(cache[1])) if cache else ([], [])
    keys += split_heads(k, attention.n_head).unbind(dim=2)
    values += split_heads(v, attention.n_head).unbind(dim=2)
    k, v = torch.stack(keys, dim=2), torch.stack(values, dim=2)
    scores = split_heads(q, attention.n_head) @ k.transpose(-2, -1) / attention.d_k**0.5
    y = causal_softmax(scores, attention.causal) @ v
    return concat_and_project(y, attention.c_proj), (keys, values)
"""


class Scripted:
    """Answers like the solution; each of its calls costs what `price(tokens, calls so far)` says."""

    def __init__(self, price: Callable[[int, int], float]) -> None:
        self.inner, self.price, self.spent, self.calls = local_student(load_assignment()), price, 0.0, 0
        self.pasts: list[tuple[Any, int]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def attend_with_cache(self, attention: Any, x: Any, cache: Any) -> Any:
        self.calls += 1
        past = next((n for known, n in self.pasts if known is cache), 0)
        self.spent += self.price(past, self.calls)
        out, new = self.inner.attend_with_cache(attention, x, cache)
        self.pasts.append((new, past + x.shape[1]))
        return out, new

    def cpu_seconds(self) -> float:
        return self.spent


GROWTH = 1.0  # seconds that the whole text anew costs more after the long past than after the short one


@pytest.fixture
def clocked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solution beside it takes GROWTH: 0 after the short past, GROWTH after the long one."""
    taken = iter([0.0, GROWTH] * 100)
    real = cached._least

    def least(who: Any, call: Callable[[], object]) -> float:
        return real(who, call) if isinstance(who, Scripted) else next(taken)

    monkeypatch.setattr(cached, "_least", least)


@pytest.mark.usefixtures("clocked")
@pytest.mark.parametrize(
    ("price", "seen"),
    [
        (lambda past, call: 0.01, "flat"),
        (lambda past, call: past / 480 * GROWTH, "grows"),
        (lambda past, call: past / 480 * GROWTH * (2 if call % 3 else 1), "grows"),
        (lambda past, call: past / 480 * GROWTH * 0.3, "not sure"),
        # one busy moment, of any length, in a right cache; then quiet
        (lambda past, call: 9.0 if call < 12 else 0.01, "flat"),
        (lambda past, call: (9.0 if past > 400 else 0.01) if call < 20 else 0.01, "flat"),
        (lambda past, call: past / 480 * GROWTH * (1 if call < 10 else 0.3), "not sure"),
    ],
)
def test_a_name_needs_agreeing_measurements(price: Callable[[int, int], float], seen: str) -> None:
    assert cached._price(Scripted(price)).form == seen


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_without_a_sure_measurement_there_is_no_name(number: int) -> None:
    id = "recompute-all"
    answers = Answers(plant(catalogue(load_assignment())[id], load_assignment())[number].student())
    answers.kept["cost: price of a step"] = UNSURE
    found = match(answers, "attend_with_cache", COURSE)
    assert id not in found.mistakes


@contextmanager
def busy(seconds: float) -> Iterator[None]:
    """Two programs that want all there is; they end by themselves."""
    work = f"import time; end = time.monotonic() + {seconds}\nwhile time.monotonic() < end: sum(range(9999))"
    loops = [subprocess.Popen([sys.executable, "-c", work]) for _ in range(2)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def test_right_caches_are_never_called_wrong_on_a_busy_machine() -> None:
    right = [read_style(path, COURSE) for path in sorted((COURSE.chapter_folder / "styles").glob("*.py"))]
    text = (SOLUTIONS / "kv_cache.py").read_text(encoding="utf-8")
    with busy(10):
        for sources in ({}, {"kv_cache.py": f"{text}\n{LIST}"}, *right):
            assert cached._price(local_student(load_assignment(), sources)).form == "flat"
