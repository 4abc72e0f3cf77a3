"""Keeps torch from importing its compiler (torch._dynamo, a second of CPU) for who compiles nothing.

torch wraps hundreds of its functions so that the compiler leaves them alone, and imports all of the
compiler when the first of them is called; operations on device "meta" are among them. As long as nobody has
imported the compiler there is nothing to be left alone by: the functions themselves are called. Must be
loaded before torch.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

COMPILER = "torch._dynamo"
WRAPS, DECORATOR = "torch._compile", "_disable_dynamo"


class _Finder(MetaPathFinder):
    """Finds torch._compile once, and changes its decorator before anything can use it."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != WRAPS:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                load(module)
                if DECORATOR in vars(module):  # a private name: a torch without it is only slower to start
                    vars(module)[DECORATOR] = patient(vars(module)[DECORATOR])

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def patient(wrap: Callable[..., Any]) -> Callable[..., Any]:
    """torch's own decorator `wrap`, but what it wraps is called as it is until the compiler is there."""

    def decorate(function: Callable[..., Any] | None = None, recursive: bool = True) -> Any:
        if function is None:  # used as @_disable_dynamo(recursive=False)
            return functools.partial(decorate, recursive=recursive)
        wrapped = wrap(function, recursive)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return (wrapped if COMPILER in sys.modules else function)(*args, **kwargs)

        return call

    return decorate


if WRAPS not in sys.modules:
    sys.meta_path.insert(0, _Finder())
