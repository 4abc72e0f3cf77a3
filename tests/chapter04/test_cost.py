"""When a measurement says yes, no, or nothing: with clocks that are made up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from autograder.assignment import load_assignment
from autograder.chapter04.hidden import cost
from autograder.checks.check import NotMeasured, Wrong


class Clocks:
    """In the place of cost.Stand: costs come from lists instead of from processes."""

    def __init__(
        self, cached: list[float], uncached: float | list[float], before: float | None = None
    ) -> None:
        self._cached: Iterator[float] = iter(cached)
        self._uncached, self._before = uncached, before
        self.asked = 0

    def text(self, past: int) -> Any:
        return type("Text", (), {"done": past})()

    def cached(self, text: Any, steps: int) -> float:
        self.asked += 1
        return next(self._cached)

    def uncached(self, n: int) -> float:
        return self._uncached if isinstance(self._uncached, float) else self._uncached[n > cost.SHORT]

    def uncached_before(self, n: int) -> float:
        return self.uncached(n) if self._before is None else self._before


def _judge(monkeypatch: pytest.MonkeyPatch, measure: Any, clocks: Clocks) -> Clocks:
    monkeypatch.setattr(cost, "Stand", lambda *_: clocks)
    measure(None, None, load_assignment(), None)
    return clocks


def test_fast_enough_is_asked_once(monkeypatch):
    assert _judge(monkeypatch, cost.faster_than_without, Clocks([1.0], 10.0)).asked == 1


def test_not_so_fast_is_measured_side_by_side(monkeypatch):
    assert _judge(monkeypatch, cost.faster_than_without, Clocks([2.0, 2.1], 10.0)).asked == 2


def test_a_reference_measured_in_a_busy_moment_helps_nobody_over_the_limit(monkeypatch):
    with pytest.raises(Wrong):  # 2.1 times as fast, which was 4.2 at first
        _judge(monkeypatch, cost.faster_than_without, Clocks([4.8] * 4, 10.0, before=20.0))


def test_a_reference_measured_in_a_quiet_moment_harms_nobody(monkeypatch):
    _judge(monkeypatch, cost.faster_than_without, Clocks([2.0, 2.0], 20.0, before=5.0))


def test_the_quieter_moment_counts(monkeypatch):
    _judge(monkeypatch, cost.faster_than_without, Clocks([9.0, 1.0], 10.0))


def test_a_slow_start_is_measured_again(monkeypatch):
    assert _judge(monkeypatch, cost.faster_than_without, Clocks([5.0, 5.0, 1.0, 1.0], 10.0)).asked == 4


def test_never_fast_is_wrong(monkeypatch):
    with pytest.raises(Wrong) as wrong:
        _judge(monkeypatch, cost.faster_than_without, Clocks([9.0, 10.0, 9.5, 9.0], 10.0))
    assert (wrong.value.id, wrong.value.params["ratio"]) == ("cost.too_slow", 1.1)


@pytest.mark.parametrize(("odd", "error"), [([0], Wrong), ([0, 2], NotMeasured)])
def test_measurements_that_disagree_are_for_a_person(monkeypatch, odd, error):
    """Whatever runs beside it may double one measurement by chance; when it doubles two, nobody can say."""
    clocks = Clocks([5.0, 5.0, 5.0, 5.0], 10.0)
    pairs = [40.0 if pair in odd else 10.0 for pair in range(4)]
    moments = iter([moment for moment in pairs for _ in range(2)])  # two a pair
    monkeypatch.setattr(clocks, "uncached_before", lambda n: 10.0)
    monkeypatch.setattr(clocks, "uncached", lambda n: next(moments))
    with pytest.raises(error):
        _judge(monkeypatch, cost.faster_than_without, clocks)


def test_flat_and_growing_costs(monkeypatch):
    _judge(monkeypatch, cost.nearly_flat, Clocks([1.0, 1.5, 1.0, 1.5], [4.0, 44.0]))
    with pytest.raises(Wrong) as wrong:
        _judge(monkeypatch, cost.nearly_flat, Clocks([1.0, 11.0] * 4, [4.0, 44.0]))
    assert (wrong.value.id, wrong.value.params["percent"]) == ("cost.grows", 25)
    with pytest.raises(NotMeasured):
        _judge(monkeypatch, cost.nearly_flat, Clocks([9.0, 11.0, 1.0, 11.0] * 2, [4.0, 44.0]))
