"""Calls the student's code for one test: with a time limit, with what went in and came out kept."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import torch

from exercises.selfcheck import record
from exercises.selfcheck.chapter import KEEPS, MODULES
from exercises.selfcheck.debugging import QUIT
from exercises.selfcheck.loading import Code, explained
from exercises.selfcheck.timelimit import TimeLimit, limited
from exercises.selfcheck.trouble import FileTrouble, Given, NotWritten, Raised, Trouble

T = TypeVar("T")


class Attempt:
    """One test's calls of the student's code."""

    def __init__(
        self,
        code: Code,
        seconds: float,
        give_up: Callable[[str], None],
        endless: set[str],
        wait_for: Callable[[str], None] = lambda exercise: None,
    ) -> None:
        self.code, self.seconds = code, seconds
        self.wait_for = wait_for  # raises Waiting when that exercise was not right in this run
        self.cases: dict[str, Any] = {}  # for --record
        self.given: Given | None = None  # the newest call
        self.refusals: list[Raised] = []  # errors that were expected of a call
        self.advice: list[tuple[str, dict[str, object]]] = []
        self._count: dict[str, int] = {}
        self._give_up = give_up
        self._training = False
        self._endless = endless  # symbols that did not end in an earlier test: not called again

    def symbol(self, name: str) -> Callable[..., Any]:
        """The student's function or class of that name, watched."""
        return self.module(name) if name in MODULES else self.function(name)

    def function(self, symbol: str) -> Callable[..., Any]:
        """The student's function, watched."""

        def call(*args: Any, **kwargs: Any) -> Any:
            function = self._get(symbol)
            plain = [a.module if isinstance(a, Module) else a for a in args]
            return self._watched(symbol, function, plain, kwargs)

        call.__name__ = symbol
        return call

    def module(self, symbol: str) -> Callable[..., Module]:
        """The student's class: makes their module, whose calls are watched."""

        def make(*args: Any, **kwargs: Any) -> Module:
            kind = self._get(symbol)
            return Module(self.guard(symbol, lambda: kind(*args, **kwargs)), self, symbol)

        return make

    def guard(self, symbol: str, call: Callable[[], T]) -> T:
        """call() with a time limit; whatever escapes becomes Trouble."""
        if symbol in self._endless:
            raise Raised("raised.endless_again", "TimeLimit", "", symbol=symbol)
        try:
            with torch.set_grad_enabled(self._training):
                return limited(call, self.seconds, lambda: self._give_up(symbol))
        except TimeLimit as error:
            self._endless.add(symbol)
            trouble = explained(error, self.code.folder)
            raise Raised(
                "raised.endless", "TimeLimit", "", trouble.place, symbol=symbol, seconds=f"{self.seconds:g}"
            ) from error
        except QUIT:
            raise
        except (Exception, SystemExit) as error:
            raise explained(error, self.code.folder) from error

    @contextlib.contextmanager
    def training(self) -> Iterator[None]:
        """Calls of the student's code remember how their result came about, as in training."""
        self._training = True
        try:
            yield
        finally:
            self._training = False

    def note(self, case: str, value: object) -> None:
        """Keeps a value for --record under a name of its own."""
        self.cases[case] = record.of_value(value)

    def _get(self, symbol: str) -> Any:
        return self.code.get(symbol, lambda load: self.guard(symbol, load))

    def _watched(
        self, symbol: str, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]
    ) -> Any:
        number = self._count[symbol] = self._count.get(symbol, 0) + 1
        case = symbol if number == 1 else f"{symbol} {number}"
        self.given = Given(symbol, number, named(function, args, kwargs))
        try:
            result = self.guard(symbol, lambda: function(*args, **kwargs))
        except FileTrouble:
            raise
        except Raised as error:
            if number <= record.MOST_CALLS:
                self.cases[case] = record.of_exception(error.kind, error.text)
            raise
        parts = max([1, *KEEPS.get(symbol, ())]) + 1  # of a result with a part of any form
        if number <= record.MOST_CALLS:
            self.cases[case] = record.of_value(_compared(symbol, result, parts))
        if result is None:
            raise NotWritten(symbol, "ui.returns_nothing")
        if symbol in KEEPS and not (isinstance(result, tuple | list) and len(result) == parts):
            raise Trouble("wrong.no_parts", symbol=symbol, parts=parts, got=type(result).__name__)
        return result


class Module:
    """The student's nn.Module, watched; `module` is the thing itself."""

    def __init__(self, module: Any, attempt: Attempt, symbol: str) -> None:
        self.module, self._attempt, self._symbol = module, attempt, symbol
        if not isinstance(module, torch.nn.Module):
            raise Trouble("wrong.no_module", symbol=symbol)
        module.eval()

    def layer(self, name: str, times: float = 1) -> torch.nn.Linear:
        """A linear layer that `__init__` has made; `times` as many numbers come out as go in."""
        layer = getattr(self.module, name, None)
        if not isinstance(layer, torch.nn.Linear) or layer.out_features != layer.in_features * times:
            raise Trouble("wrong.no_layer", symbol=self._symbol, layer=name)
        return layer

    def __call__(self, x: torch.Tensor) -> Any:
        return self._attempt._watched(self._symbol, self.module, [x], {})


def _compared(symbol: str, result: Any, parts: int) -> Any:
    """A result without the parts that may have any form."""
    if symbol not in KEEPS or not isinstance(result, tuple | list):
        return result
    rest = [part for i, part in enumerate(result[:parts]) if i not in KEEPS[symbol]]
    return rest[0] if len(rest) == 1 else rest


def named(function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> list[tuple[str, Any]]:
    """(name, value) of each argument as it is now: tensors are copied, for they could be changed."""
    target = function.forward if isinstance(function, torch.nn.Module) else function
    try:
        names = list(inspect.signature(target).parameters)
    except (TypeError, ValueError):
        names = []
    pairs = [(names[i] if i < len(names) else f"#{i + 1}", a) for i, a in enumerate(args)]
    pairs += list(kwargs.items())
    return [
        (n, v.detach().clone() if isinstance(v, torch.Tensor) and v.device.type != "meta" else v)
        for n, v in pairs
    ]
