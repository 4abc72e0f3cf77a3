"""What is made once for all processes of a test run, by whichever needs it first."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder of that name, which `make` fills. It is for reading: who changes something takes a copy."""
    base = factory.getbasetemp().resolve()
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "once" / name
    place.parent.mkdir(exist_ok=True)
    made = place.with_suffix(".made")
    with FileLock(place.with_suffix(".lock")):
        if not made.exists():
            place.mkdir()
            make(place)
            made.touch()
    return place
