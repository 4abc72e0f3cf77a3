"""The public tests called as functions in this process, with code that is only text: it takes milliseconds.

What pytest's side (exercises/selfcheck/plugin.py) adds, the words and the picture, is not looked at here.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from exercises.selfcheck.calls import Attempt
from exercises.selfcheck.chapter import FILE_OF, all_tests
from exercises.selfcheck.check import Check
from exercises.selfcheck.progress import judged
from exercises.selfcheck.trouble import Raised, Trouble


class Texts:
    """In the place of loading.Code: modules that are there already."""

    folder = Path("planted")

    def __init__(self, modules: Mapping[str, ModuleType]) -> None:
        self._modules = modules

    def get(self, symbol: str, run: Callable[[Callable[[], Any]], Any]) -> Any:
        return run(lambda: getattr(self._modules[FILE_OF[symbol].removesuffix(".py")], symbol))


@cache
def public_tests() -> dict[str, tuple[str, Callable[..., None]]]:
    """test -> (exercise, function); GPT-2's ask for a model and are left out."""
    found = {}
    for test, exercise in all_tests().items():
        sheet, _, name = test.partition("/")
        if sheet != "gpt2":
            module = importlib.import_module(f"exercises.test_{sheet}")
            found[test] = (exercise, getattr(module, f"test_{name}"))
    return found


def troubles(modules: Mapping[str, ModuleType], exercise: str, seconds: float = 20) -> dict[str, str]:
    """test -> outcome and why, of the tests of that exercise that are not right."""
    found = {}
    endless: set[str] = set()
    for test, (owner, function) in public_tests().items():
        if owner != exercise:
            continue
        attempt = Attempt(Texts(modules), seconds, lambda symbol: None, endless)  # type: ignore[arg-type]
        try:
            function(**{name: _fixture(name, attempt) for name in inspect.signature(function).parameters})
        except Exception as error:
            kind = type(error).__name__
            trouble = error if isinstance(error, Trouble) else Raised("raised.test", kind, str(error))
            outcome, trouble = judged(exercise, trouble)
            found[test] = f"{outcome}: {trouble.key} {trouble.params}"
    return found


def _fixture(name: str, attempt: Attempt) -> object:
    if name == "check":
        return Check(attempt)
    return attempt.symbol(name)
