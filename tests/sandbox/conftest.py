"""Sandboxes of every kind this machine can have, one zygote each for all tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

from autograder.assignment import load_assignment
from autograder.course import Limits
from autograder.sandbox import NoIsolation, Sandbox

# Small, so that what never ends is soon over. CPU seconds count alike on a busy machine.
LIMITS = Limits(
    call_cpu_seconds=0.7, call_wall_seconds=3, submission_cpu_seconds=20, memory_mb=1024, output_kb=16
)


def start(isolation: str, **more: object) -> Sandbox:
    """A running sandbox, or the test is skipped in plain words."""
    if not sys.platform.startswith("linux"):
        pytest.skip("submissions can be isolated on Linux only")
    sandbox = Sandbox(load_assignment(), isolation, **more, limits=LIMITS)  # type: ignore[arg-type]
    try:
        sandbox.start()
    except NoIsolation as error:
        pytest.skip(f"this machine cannot isolate so: {error}")
    return sandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """The best this machine gives. Started with a secret in the environment, which no worker must see."""
    os.environ["KIT_SECRET"] = "x"
    with start("auto") as one:
        del os.environ["KIT_SECRET"]
        yield one


@pytest.fixture(scope="session")
def plain_sandbox() -> Iterator[Sandbox]:
    """Without namespaces: seccomp, Landlock and limits alone."""
    with start("no-namespaces") as one:
        yield one
