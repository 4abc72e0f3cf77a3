"""What the lab's tests share: one run of all sections on the mini model."""

from __future__ import annotations

import argparse
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab import cache_gain
from lab.console import Console
from lab.language import Texts
from lab.run import run
from lab.setting import one_thread


def options(**changes: Any) -> argparse.Namespace:
    """The lab's command line, as it is without options."""
    usual = {
        "sections": [],
        "model": "mini",
        "layer": "0",
        "tokens": 8,
        "attention": "solutions",
        "lang": "en",
    }
    return argparse.Namespace(**(usual | {"html": None, "json": None} | changes))


def lab(encoding: str = "utf-8", **changes: Any) -> tuple[str, dict[str, Any]]:
    """Runs sections in this process; returns what a console of that encoding gets, and the numbers."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    args = options(**changes)
    data = run(args, Console(stream), Texts(args.lang))
    stream.flush()
    return raw.getvalue().decode(encoding), data


@pytest.fixture(autouse=True, scope="session")
def single_thread() -> Iterator[None]:
    """Small tensors, and perhaps a busy machine: a second thread only waits for the first."""
    with one_thread():
        yield


@pytest.fixture(scope="session")
def everything() -> tuple[str, dict[str, Any]]:
    """All five sections, with as little timing as possible."""
    before = cache_gain.PATIENCE
    cache_gain.PATIENCE = 1.0
    try:
        return lab()
    finally:
        cache_gain.PATIENCE = before


@pytest.fixture(scope="session")
def root() -> Path:
    return Path(__file__).resolve().parents[2]
