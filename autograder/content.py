"""The chapter's own Python: found in the assignment's content folder, imported like any module.

Content that lies inside this package is imported under its own name; any other folder gets a package name
made from its path. Files of a chapter import one another relatively (`from .expected import attention`).
"""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

ENGINE = Path(__file__).resolve().parent


def module(folder: Path, name: str) -> ModuleType:
    """The module `name` ("hidden.test_heads") of a content folder. Raises ImportError."""
    return import_module(f"{package_of(folder)}.{name}")


def optional(folder: Path, name: str) -> ModuleType | None:
    """The same; None where the content has no such file."""
    package = package_of(folder)
    for depth in range(1, name.count(".") + 2):
        if find_spec(".".join([package, *name.split(".")[:depth]])) is None:
            return None
    return module(folder, name)


def attribute(folder: Path, name: str, attribute: str, otherwise: Any = None) -> Any:
    """What an optional module of the content defines under a name, else `otherwise`."""
    found = optional(folder, name)
    return otherwise if found is None else getattr(found, attribute, otherwise)


@cache
def package_of(folder: Path) -> str:
    """The name under which a content folder can be imported."""
    folder = folder.resolve()
    if folder.is_relative_to(ENGINE):
        return ".".join([__package__ or ENGINE.name, *folder.relative_to(ENGINE).parts])
    name = f"_content_{hashlib.sha256(str(folder).encode()).hexdigest()[:12]}"
    package = ModuleType(name)
    package.__path__ = [str(folder)]
    sys.modules[name] = package
    return name
